"""Static files with the hash of their content in their names."""

from __future__ import annotations

from whitenoise.storage import CompressedManifestStaticFilesStorage


class ModuleStorage(CompressedManifestStaticFilesStorage):
    """Also rewrites the names in ``import`` statements, so that modules can be cached for ever."""

    support_js_module_import_aggregation = True
