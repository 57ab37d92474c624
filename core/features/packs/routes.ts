import type { JsonObject } from "../../contract/index.ts";
import { defineBody } from "../../http/body.ts";
import { answerJson, answerPage } from "../../http/openapi/responses.ts";
import { type Paging, pagingQuery, parsePaging, toCountHeaders } from "../../http/paging.ts";
import { presentRecord, presentRecords, secretsQuery, toRecordVisibility } from "../../http/record-visibility.ts";
import { noStoreHeaders, type Reply, replyJson } from "../../http/replies.ts";
import { createRouteDeclarations, type RouteContext } from "../../http/route.ts";
import { maskBySchema } from "../../language/parameters/schema-masking.ts";
import { maskParameterDefaults } from "../../secrets/parameter-default-masking.ts";
import type { PacksApi } from "./api.ts";
import type { PackConfig, PackConfigSchema } from "./pack-configs-exports.ts";
import type { RegisterInput } from "./register-exports.ts";
import { configSchema, configSchemaSchema, registerCountsSchema } from "./schemas.ts";

const { defineRoute } = createRouteDeclarations<Pick<PacksApi, "packConfigs" | "packRegister">>();

const defaultLimit = 100;

const valuesBody = defineBody<JsonObject>({ properties: {}, open: true });
const texts = { type: "array", items: { type: "string", maxLength: 255 }, maxItems: 1_000 };

const registerBody = defineBody<RegisterInput>({
	properties: { packs: texts, types: texts, fail_on_failure: { type: "boolean" } },
});

/** Routes for the configurations of packs, and for registering packs again. */
export const packRoutes = [
	defineRoute({
		method: "GET",
		path: "/configs",
		summary: "List configurations of packs",
		answers: { 200: answerPage(configSchema) },
		permission: "pack_list",
		query: { ...pagingQuery, ...secretsQuery },
		async handler(context) {
			const paging = parsePaging(context, defaultLimit);
			const { masked } = toRecordVisibility(context);
			const configs = await context.engine.packConfigs.list();
			const reply = replyPage(await presentRecords(configs, (config) => toConfig(config, masked)), paging);
			return masked ? reply : { ...reply, headers: { ...reply.headers, ...noStoreHeaders } };
		},
	}),
	defineRoute({
		method: "GET",
		path: "/configs/:pack",
		summary: "Get the configuration of a pack",
		description: "404 if the pack has no configuration.",
		answers: { 200: answerJson(configSchema) },
		permission: "pack_view",
		resource: toPackResource,
		query: secretsQuery,
		async handler(context) {
			const config = await context.engine.packConfigs.get(context.path["pack"] ?? "");
			const { masked } = toRecordVisibility(context);
			return replyJson(await presentRecord(() => toConfig(config, masked)), 200, masked ? {} : noStoreHeaders);
		},
	}),
	defineRoute({
		method: "PUT",
		path: "/configs/:pack",
		summary: "Replace the configuration of a pack",
		description: "The body contains the values. They replace the old values and are written to the file.",
		answers: { 200: answerJson(configSchema) },
		permission: "pack_config",
		query: secretsQuery,
		body: valuesBody,
		async handler(context) {
			const { engine, path, body, principal } = context;
			const config = await engine.packConfigs.set(path["pack"] ?? "", body, principal);
			return replyJson(await presentRecord(() => toConfig(config, toRecordVisibility(context).masked)));
		},
	}),
	defineRoute({
		method: "GET",
		path: "/config_schemas",
		summary: "List schemas of the configurations of packs",
		answers: { 200: answerPage(configSchemaSchema) },
		permission: "pack_list",
		query: { ...pagingQuery, ...secretsQuery },
		async handler(context) {
			const paging = parsePaging(context, defaultLimit);
			const { masked } = toRecordVisibility(context);
			const schemas = await context.engine.packConfigs.schemas();
			return replyPage(await presentRecords(schemas, (schema) => toSchema(schema, masked)), paging);
		},
	}),
	defineRoute({
		method: "GET",
		path: "/config_schemas/:pack",
		summary: "Get the schema of the configuration of a pack",
		answers: { 200: answerJson(configSchemaSchema) },
		permission: "pack_view",
		resource: toPackResource,
		query: secretsQuery,
		async handler(context) {
			const schema = await context.engine.packConfigs.schema(context.path["pack"] ?? "");
			return replyJson(await presentRecord(() => toSchema(schema, toRecordVisibility(context).masked)));
		},
	}),
	defineRoute({
		method: "POST",
		path: "/packs/register",
		summary: "Reload packs",
		description:
			"Updates the records from the files of packs in one write. Packs in directories are read on the node that receives the request.",
		answers: { 200: answerJson(registerCountsSchema) },
		permission: "pack_register",
		body: registerBody,
		async handler({ engine, body, principal }) {
			return replyJson(await engine.packRegister.register(body, principal));
		},
	}),
];

function toPackResource({ path }: Pick<RouteContext, "path">) {
	return { uid: `pack:${path["pack"] ?? ""}` };
}

function toConfig({ id, pack, values, schema }: PackConfig, isMasked: boolean) {
	return { id, pack, values: isMasked ? maskBySchema(values, schema) : values };
}

/** Returns the wire form. Defaults of secret members are masked as well, if `isMasked` is true. */
function toSchema({ id, pack, attributes }: PackConfigSchema, isMasked: boolean) {
	return { id, pack, attributes: isMasked ? maskParameterDefaults(attributes) : attributes };
}

function replyPage(records: readonly unknown[], paging: Paging): Reply {
	const { limit = records.length, offset } = paging;
	return replyJson(records.slice(offset, offset + limit), 200, toCountHeaders(records.length, paging));
}
