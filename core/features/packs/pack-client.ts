import type { ApiClient } from "../../client/api-client.ts";
import type { ListPage, ListQuery } from "../../client/page.ts";
import type { JsonObject, JsonValue } from "../../contract/index.ts";

/** A pack as the API returns it. The record also contains unknown members of the manifest. */
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
	/** Pack directory, if the configuration provides the pack in a directory. */
	readonly path?: string;
	readonly system: JsonObject;
	/** SHA-256 of the files of an installed pack. */
	readonly content?: string;
	/** Source of an installed pack. */
	readonly source?: JsonObject;
	/** Installation of an installed pack: `at`, `by` and `execution_id`. */
	readonly installation?: JsonObject;
	/** State of a pack that the service follows in git: `source`, and `state`, `commit`, `reason` and `checked_at` of the last poll. */
	readonly followed?: JsonObject;
}

/** A text file of a pack. */
export interface PackFileRecord {
	readonly file_path: string;
	readonly content: string;
}

/** Client for the packs of a service, each addressed by ref or id. */
export interface PackClient {
	list(query?: ListQuery): Promise<ListPage<PackRecord>>;
	get(refOrId: string): Promise<PackRecord>;
	/** Returns the text files of a pack. */
	files(refOrId: string): Promise<readonly PackFileRecord[]>;
	/** Returns the bytes of one file. Slashes separate the parts of the path. */
	file(refOrId: string, path: string): Promise<Uint8Array>;
}

export function createPackClient({ read, list, call }: ApiClient): PackClient {
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

/** Packs to register, and the kinds of their content. */
export interface RegisterRequest {
	/** Refs. Default: all packs in the configured directories, and all installed packs. */
	readonly packs?: readonly string[];
	/** Kinds to register, such as `actions` or `rule`; unknown kinds are ignored. Default: all kinds. */
	readonly types?: readonly string[];
	/** True to change nothing if one file is invalid; false to register the other files. Default: true. */
	readonly fail_on_failure?: boolean;
}

/** Count of records of each requested kind. `<kind>(overridden)` counts the records whose `enabled` operators have overridden. */
export type RegisterRecord = Readonly<Record<string, number>>;

/** Client that registers packs again. */
export interface PackRegisterClient {
	/** Updates the records of packs to match their files. Returns the count of records of each kind. */
	register(request?: RegisterRequest): Promise<RegisterRecord>;
}

export function createPackRegisterClient({ read }: ApiClient): PackRegisterClient {
	return { register: (body = {}) => read("/packs/register", { method: "POST", body: { ...body } }) };
}
