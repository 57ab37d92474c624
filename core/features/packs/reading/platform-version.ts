/** Version of the platform that packs may ask for in `svc_version`. */
export const platformVersion = "3.0.0";

/** Version of the language that actions of packs run in, as `python_versions` names them. */
export const pythonVersion = "3";
