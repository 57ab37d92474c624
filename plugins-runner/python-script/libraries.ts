import type { Options } from "../../core/contract/index.ts";

/** Folders of a pack whose modules its actions and sensors import by bare name, in the order in which they are searched. */
export function toLibraries({ content }: Pick<Options, "content">): readonly string[] {
	return content.enable_common_libs ? ["lib", "actions/lib"] : ["actions/lib"];
}
