"""Adds to griffe's data the parameters of NamedTuples, functions that have only overloads, and values of defaults."""

import griffe


class Signatures(griffe.Extension):
    """Adds the parameters of classes made by NamedTuple, functions of a stub that have overloads only, and values of defaults."""

    def on_function(self, *, func, **_):
        """Replaces names of constants by their values: a reader of a signature cannot know the constants of the package."""
        for parameter in func.parameters:
            path = getattr(parameter.default, "canonical_path", None)
            constant = func.modules_collection[path] if path and path.startswith("longrun.") else None
            if constant is not None and constant.is_attribute and constant.value is not None:
                parameter.default = str(constant.value)

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
