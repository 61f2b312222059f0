"""Adds to griffe's data the parameters of NamedTuples and functions that have only overloads."""

import griffe


class Signatures(griffe.Extension):
    """Adds the parameters of classes made by NamedTuple, and functions of a stub that have overloads only."""

    def on_class_members(self, *, cls, **_):
        if any(str(base).rpartition(".")[2] == "NamedTuple" for base in cls.bases):
            self.add_fields_as_parameters(cls)
        for name, overloads in cls.overloads.items():
            if name not in cls.members:
                self.add_overloaded(cls, name, overloads)

    @staticmethod
    def add_fields_as_parameters(cls):
        kind = griffe.ParameterKind.positional_or_keyword
        fields = [griffe.Parameter(name, annotation=member.annotation, default=member.value, kind=kind)
                  for name, member in cls.members.items() if member.is_attribute and member.annotation is not None]
        parameters = griffe.Parameters(griffe.Parameter("self", kind=kind), *fields)
        cls.set_member("__init__", griffe.Function("__init__", parameters=parameters, returns="None", lineno=cls.lineno, endlineno=cls.endlineno))

    @staticmethod
    def add_overloaded(cls, name, overloads):
        """Adds a function of a stub: that with the docstring, which has all overloads."""
        shown = max(overloads, key=lambda overload: len(overload.docstring.value) if overload.docstring else 0)
        cls.set_member(name, shown)
        cls.members = dict(sorted(cls.members.items(), key=lambda member: member[1].lineno or 0))
        shown.overloads = [overload for overload in overloads if overload is not shown]
