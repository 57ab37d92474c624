import { SvcError } from "../../contract/index.ts";

/** Lays out on this node what the storage keeps. */
export interface ContentSource {
	/**
	 * Absolute path of a directory with the content of a pack: complete, and never changed afterwards. It stays as long as an execution may
	 * need it. `SVC_RUNNER` where there is no such content any more.
	 */
	directory(pack: string, content: string): Promise<string>;
}

/** Where no feature keeps any. */
export const noContent: ContentSource = {
	async directory(pack) {
		throw new SvcError("SVC_RUNNER", `pack "${pack}" was installed, and nothing here keeps installed packs`);
	},
};
