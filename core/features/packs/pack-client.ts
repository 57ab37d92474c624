import type { Api } from "../../client/api.ts";
import type { ListPage, ListQuery } from "../../client/page.ts";
import type { JsonObject, JsonValue } from "../../contract/index.ts";

/** A pack as the API shows it; members of its manifest that nobody here knows are there, too. */
export interface PackRecord {
	readonly id: string;
	readonly uid: string;
	readonly ref: string;
	readonly name: string;
	readonly description: string;
	readonly version: string;
	readonly author: string;
	readonly email?: string;
	readonly keywords: readonly JsonValue[];
	readonly contributors: readonly JsonValue[];
	readonly dependencies: readonly JsonValue[];
	readonly python_versions: readonly JsonValue[];
	readonly svc_version?: string;
	/** Paths in the pack, at most 1,000. */
	readonly files: readonly string[];
	/** Its directory, for one that the configuration names. */
	readonly path?: string;
	readonly system: JsonObject;
	/** Of an installed one: SHA-256 of its files. */
	readonly content?: string;
	/** Of an installed one: where it came from. */
	readonly source?: JsonObject;
	/** Of an installed one: `at`, `by` and `execution_id`. */
	readonly installation?: JsonObject;
	/** Of one that the service follows in git: `source`, and `state`, `commit`, `reason` and `checked_at` of the last look there. */
	readonly followed?: JsonObject;
}

/** A text of a pack. */
export interface PackFileRecord {
	readonly file_path: string;
	readonly content: string;
}

/** The packs of a service, each by ref or id. */
export interface PackClient {
	list(query?: ListQuery): Promise<ListPage<PackRecord>>;
	get(refOrId: string): Promise<PackRecord>;
	/** Its texts. */
	files(refOrId: string): Promise<readonly PackFileRecord[]>;
	/** One of its files, with slashes between the parts of its path. */
	file(refOrId: string, path: string): Promise<Uint8Array>;
}

export function createPackClient({ read, list, call }: Api): PackClient {
	const at = encodeURIComponent;
	return {
		list: (query) => list("/packs", query),
		get: (pack) => read(`/packs/${at(pack)}`),
		files: (pack) => read(`/packs/views/files/${at(pack)}`),
		async file(pack, path) {
			const answer = await call(`/packs/views/file/${at(pack)}/${path.split("/").map(at).join("/")}`);
			return new Uint8Array(await answer.arrayBuffer());
		},
	};
}
