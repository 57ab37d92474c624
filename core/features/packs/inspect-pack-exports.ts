export { locateRefused } from "./inspect/explain-refused.ts";
export { findingOf, sortFindings } from "./inspect/findings.ts";
export { inspectConfig } from "./inspect/inspect-config.ts";
export { inspectFolders } from "./inspect/inspect-folders.ts";
export { inspectManifest } from "./inspect/inspect-manifest.ts";
export { LocatedYaml } from "./inspect/located-yaml.ts";
export { toMessagePlace } from "./inspect/message-path.ts";
export { findPackDirectories } from "./reading/find-pack-directories.ts";
