"""Design parts: tables that tests add to a design file: questions, groups, who is responsible."""

QUESTION = """
[[question]]
name = "dance"
when = "before"
kind = "choice"
text.en = "How often do you dance?"
text.de = "Wie oft tanzen Sie?"
options.en = ["never", "often"]
options.de = ["nie", "oft"]
required = true

[[question]]
name = "sleep"
when = "before"
kind = "number"
text.en = "Hours of sleep"
text.de = "Stunden Schlaf"
low = 0
high = 24

[[question]]
name = "clear"
when = "after"
kind = "scale"
text.en = "How clear was it?"
text.de = "Wie klar war es?"
points = 7
ends.en = ["not", "fully"]
ends.de = ["nicht", "ganz"]

[[question]]
name = "remark"
when = "after"
kind = "text"
text.en = "Anything else?"
text.de = "Sonst noch etwas?"
"""
GROUPS = """
[[group]]
name = "plain"

[[group]]
name = "told"
stimuli = ["happy", "sad"]
instruction.en = "Watch as a dancer would."
instruction.de = "Schauen Sie wie jemand, der tanzt."
"""
ETHICS = """
[ethics]
investigator = "A. Author"
institution = "A University"
contact = "author@example.org"
approval = "2026-17"
retention = "ten years"
information = "https://example.org/sheet.pdf"
"""
