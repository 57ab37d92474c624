import type { JsonObject } from "../../../contract/index.ts";

/** What somebody has written, as it was understood. */
export interface PackRequest {
	readonly text: string;
	readonly kind: "index" | "git" | "archive" | "directory";
	readonly name?: string;
	readonly address?: string;
	readonly revision?: string;
	readonly subdirectory?: string;
}

/** Where a fetched pack came from. */
export interface PackSource {
	readonly kind: "git" | "archive" | "directory" | "index";
	/** Never with a password. */
	readonly address: string;
	readonly revision: string | null;
	readonly commit: string | null;
	readonly subdirectory: string | null;
	readonly index: string | null;
}

export interface FetchedPack {
	/** Holds `pack.yaml`. */
	readonly directory: string;
	readonly source: PackSource;
}

export interface FetchOptions {
	readonly into: string;
	readonly signal: AbortSignal;
	emit(line: string): Promise<void> | void;
}

/** From a request to files. */
export interface Sources {
	fetch(request: PackRequest, options: FetchOptions): Promise<FetchedPack>;
	latest(source: PackSource): Promise<{ readonly revision: string | null; readonly commit: string | null; readonly version?: string }>;
}

/** What is recorded of one installation. */
export type Installation = { readonly at: string; readonly by: string; readonly execution_id: string } & JsonObject;

/** Files in the storage. */
export interface Contents {
	store(directory: string, options: { readonly pack: string; readonly signal: AbortSignal }): Promise<string>;
	directory(pack: string, content: string): Promise<string>;
}

/** What a pack is to be from now on. */
export interface NextPack {
	readonly pack: string;
	/** Its files on this node. */
	readonly directory: string;
	readonly content: string;
	readonly source: JsonObject;
	readonly installation: JsonObject;
	/** What it was before, the latest first. */
	readonly earlier: readonly JsonObject[];
	/** Content that it had when this was decided, null where there was none. Another one by then: `SVC_CONFLICT`. */
	readonly expected: string | null;
}

/** Makes the records of a pack say what its files say, in one write. */
export interface Switch {
	apply(next: NextPack): Promise<unknown>;
	remove(ref: string): Promise<unknown>;
}
