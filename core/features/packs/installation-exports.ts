// What a feature needs that installs packs.
export type { DraftedContent, PackActivator, SwitchOptions } from "./activation/pack-activation.ts";
export type { PackContents } from "./content/pack-contents.ts";
export { LocatedYaml } from "./inspect/located-yaml.ts";
export { findPlatformProblem, pythonVersion, toPack } from "./reading/manifest.ts";
export { type PackFileProblem, toProblemsError, toProblemText } from "./reading/pack-problems.ts";
export { readPackDirectory } from "./reading/read-pack-directory.ts";
export { readYamlObject } from "./reading/read-yaml.ts";
export type { PackVersion } from "./registration/chosen-packs.ts";
export { followedState } from "./schemas.ts";
