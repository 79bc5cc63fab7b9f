# strut with everything that serves: studies, live views, cluster workers. Built by hand; no test builds it.
#
#   docker build -t strut .
#   docker run -p 8000:8000 -v "$PWD/mystudy:/work" strut strut study serve /work --host 0.0.0.0 --public
#   docker run -p 8786:8786 strut dask scheduler
#   docker run strut dask worker tcp://SCHEDULER:8786
FROM python:3.13-slim
RUN apt-get update -q && apt-get install -y -q --no-install-recommends ffmpeg && rm -rf /var/lib/apt/lists/*
COPY . /src
RUN pip install --no-cache-dir --constraint /src/constraints.txt '/src[study,cluster]' && rm -rf /src
RUN useradd --create-home strut
USER strut
WORKDIR /work
CMD ["strut", "--help"]
