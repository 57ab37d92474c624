/** Platform version that the range in `svc_version` of a pack must include. */
export const platformVersion = "3.0.0";

/** Python version that runs the actions of packs, in the form of `python_versions`. */
export const pythonVersion = "3";
