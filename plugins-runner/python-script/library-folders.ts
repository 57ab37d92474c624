import type { Options } from "../../core/contract/index.ts";

/** Returns the folders of a pack whose modules its actions and sensors import by bare name, in search order. */
export function toLibraryFolders({ content }: Pick<Options, "content">): readonly string[] {
	return content.enable_common_libs ? ["lib", "actions/lib"] : ["actions/lib"];
}
