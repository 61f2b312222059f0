"""Tells griffe the signature of the classes made by NamedTuple: their fields are their parameters."""

import griffe


class NamedTuples(griffe.Extension):
    """Adds to each such class the __init__ that Python makes."""

    def on_class_members(self, *, cls, **_):
        if not any(str(base).rpartition(".")[2] == "NamedTuple" for base in cls.bases):
            return
        kind = griffe.ParameterKind.positional_or_keyword
        fields = [griffe.Parameter(name, annotation=member.annotation, default=member.value, kind=kind)
                  for name, member in cls.members.items() if member.is_attribute and member.annotation is not None]
        parameters = griffe.Parameters(griffe.Parameter("self", kind=kind), *fields)
        cls.set_member("__init__", griffe.Function("__init__", parameters=parameters, returns="None", lineno=cls.lineno, endlineno=cls.endlineno))
