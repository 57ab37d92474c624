import type { GitPack } from "../../contract/index.ts";

/** Returns the source as a user would write it to install the pack: `<git>=<revision>#<subdirectory>`. */
export function toSourceText({ git, revision, subdirectory }: GitPack): string {
	return `${git}${revision === undefined ? "" : `=${revision}`}${subdirectory === undefined ? "" : `#${subdirectory}`}`;
}
