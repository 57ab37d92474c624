import type { ApiClient } from "../../client/api-client.ts";
import type { ListPage, ListQuery } from "../../client/page.ts";
import type { JsonObject, ParameterDefinitions } from "../../contract/index.ts";

/** The configuration of a pack. */
export interface ConfigRecord {
	readonly id: string;
	readonly pack: string;
	readonly values: JsonObject;
}

/** The schema of the configuration of a pack. */
export interface ConfigSchemaRecord {
	readonly id: string;
	readonly pack: string;
	readonly attributes: ParameterDefinitions;
}

/** Client for the configurations of packs. */
export interface ConfigClient {
	list(query?: ListQuery): Promise<ListPage<ConfigRecord>>;
	get(pack: string, query?: ListQuery): Promise<ConfigRecord>;
	set(pack: string, values: JsonObject): Promise<ConfigRecord>;
	schema(pack: string): Promise<ConfigSchemaRecord>;
}

const at = encodeURIComponent;

export function createConfigClient({ read, list }: ApiClient): ConfigClient {
	return {
		list: (query) => list("/configs", query),
		get: (pack, query = {}) => read(`/configs/${at(pack)}`, { query }),
		set: (pack, body) => read(`/configs/${at(pack)}`, { method: "PUT", body }),
		schema: (pack) => read(`/config_schemas/${at(pack)}`),
	};
}
