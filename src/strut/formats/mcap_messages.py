"""ROS 2 messages: definitions of those that hold a robot's motion, as their packages publish them."""

from __future__ import annotations

_RULE = "=" * 80
_DEFINITIONS = {
    "builtin_interfaces/Time": "int32 sec\nuint32 nanosec",
    "builtin_interfaces/Duration": "int32 sec\nuint32 nanosec",
    "std_msgs/Header": "builtin_interfaces/Time stamp\nstring frame_id",
    "geometry_msgs/Point": "float64 x\nfloat64 y\nfloat64 z",
    "geometry_msgs/Vector3": "float64 x\nfloat64 y\nfloat64 z",
    "geometry_msgs/Quaternion": "float64 x 0\nfloat64 y 0\nfloat64 z 0\nfloat64 w 1",
    "geometry_msgs/Pose": "geometry_msgs/Point position\ngeometry_msgs/Quaternion orientation",
    "geometry_msgs/Twist": "geometry_msgs/Vector3 linear\ngeometry_msgs/Vector3 angular",
    "geometry_msgs/Transform": "geometry_msgs/Vector3 translation\ngeometry_msgs/Quaternion rotation",
    "geometry_msgs/PoseWithCovariance": "geometry_msgs/Pose pose\nfloat64[36] covariance",
    "geometry_msgs/TwistWithCovariance": "geometry_msgs/Twist twist\nfloat64[36] covariance",
    "geometry_msgs/PoseStamped": "std_msgs/Header header\ngeometry_msgs/Pose pose",
    "geometry_msgs/TransformStamped": (
        "std_msgs/Header header\nstring child_frame_id\ngeometry_msgs/Transform transform"
    ),
    "nav_msgs/Odometry": (
        "std_msgs/Header header\nstring child_frame_id\n"
        "geometry_msgs/PoseWithCovariance pose\ngeometry_msgs/TwistWithCovariance twist"
    ),
    "tf2_msgs/TFMessage": "geometry_msgs/TransformStamped[] transforms",
    "sensor_msgs/JointState": (
        "std_msgs/Header header\nstring[] name\nfloat64[] position\nfloat64[] velocity\nfloat64[] effort"
    ),
    "trajectory_msgs/JointTrajectoryPoint": (
        "float64[] positions\nfloat64[] velocities\nfloat64[] accelerations\nfloat64[] effort\n"
        "builtin_interfaces/Duration time_from_start"
    ),
    "trajectory_msgs/JointTrajectory": (
        "std_msgs/Header header\nstring[] joint_names\ntrajectory_msgs/JointTrajectoryPoint[] points"
    ),
}
READ = (
    "sensor_msgs/JointState",
    "trajectory_msgs/JointTrajectory",
    "geometry_msgs/PoseStamped",
    "nav_msgs/Odometry",
    "tf2_msgs/TFMessage",
)


def short_name(name: str) -> str:
    """Return the name of a message without the folder `msg`, as definitions name it."""
    return name.replace("/msg/", "/")


def definition(name: str) -> str:
    """Return the definition of a message followed by those of its parts, as a file of messages holds it."""
    parts: list[str] = []
    queue = [name]
    while queue:
        one = queue.pop(0)
        if one not in parts:
            parts.append(one)
            kinds = (line.split()[0].split("[")[0] for line in _DEFINITIONS[one].splitlines())
            queue += [kind for kind in kinds if kind in _DEFINITIONS]
    first, *others = parts
    return _DEFINITIONS[first] + "".join(f"\n{_RULE}\nMSG: {one}\n{_DEFINITIONS[one]}" for one in others) + "\n"
