import type { JsonObject } from "../../contract/index.ts";
import { defineBody } from "../../http/body.ts";
import { type Paging, pagingQuery, parsePaging, toCountHeaders } from "../../http/paging.ts";
import { presentOne, presentTogether, secretsQuery, toPresentation } from "../../http/present.ts";
import { type Reply, replyJson } from "../../http/respond.ts";
import { type RouteContext, routesOver } from "../../http/route.ts";
import { maskDefaults } from "../../kernel/secrets/secret-defaults.ts";
import { maskBySchema } from "../../language/parameters/mask.ts";
import type { PackConfig, PackConfigSchema, PackConfigs } from "./pack-configs-api.ts";

/** What the routes ask of the engine. */
interface RouteNeeds {
	readonly packConfigs: PackConfigs;
}

const { defineRoute } = routesOver<RouteNeeds>();

const defaultLimit = 100;

const valuesBody = defineBody<JsonObject>({ properties: {} });

export const configRoutes = [
	defineRoute({
		method: "GET",
		path: "/configs",
		component: "api",
		permission: "pack_list",
		query: { ...pagingQuery, ...secretsQuery },
		async handler(context) {
			const paging = parsePaging(context, defaultLimit);
			const { masked } = toPresentation(context);
			const configs = await context.engine.packConfigs.list();
			return replyPage(await presentTogether(configs, (config) => toConfig(config, masked)), paging);
		},
	}),
	defineRoute({
		method: "GET",
		path: "/configs/:pack",
		component: "api",
		permission: "pack_view",
		resource: toPackResource,
		query: secretsQuery,
		async handler(context) {
			const config = await context.engine.packConfigs.get(context.path["pack"] ?? "");
			return replyJson(await presentOne(() => toConfig(config, toPresentation(context).masked)));
		},
	}),
	defineRoute({
		method: "PUT",
		path: "/configs/:pack",
		component: "api",
		permission: "pack_config",
		query: secretsQuery,
		body: valuesBody,
		async handler(context) {
			const { engine, path, body, principal } = context;
			const config = await engine.packConfigs.set(path["pack"] ?? "", body, principal);
			return replyJson(await presentOne(() => toConfig(config, toPresentation(context).masked)));
		},
	}),
	defineRoute({
		method: "GET",
		path: "/config_schemas",
		component: "api",
		permission: "pack_list",
		query: { ...pagingQuery, ...secretsQuery },
		async handler(context) {
			const paging = parsePaging(context, defaultLimit);
			const { masked } = toPresentation(context);
			const schemas = await context.engine.packConfigs.schemas();
			return replyPage(await presentTogether(schemas, (schema) => toSchema(schema, masked)), paging);
		},
	}),
	defineRoute({
		method: "GET",
		path: "/config_schemas/:pack",
		component: "api",
		permission: "pack_view",
		resource: toPackResource,
		query: secretsQuery,
		async handler(context) {
			const schema = await context.engine.packConfigs.schema(context.path["pack"] ?? "");
			return replyJson(await presentOne(() => toSchema(schema, toPresentation(context).masked)));
		},
	}),
];

function toPackResource({ path }: Pick<RouteContext, "path">) {
	return { uid: `pack:${path["pack"] ?? ""}` };
}

function toConfig({ id, pack, values, schema }: PackConfig, isMasked: boolean) {
	return { id, pack, values: isMasked ? maskBySchema(values, schema) : values };
}

/** A secret default is a secret. */
function toSchema({ id, pack, attributes }: PackConfigSchema, isMasked: boolean) {
	return { id, pack, attributes: isMasked ? maskDefaults(attributes) : attributes };
}

function replyPage(records: readonly unknown[], paging: Paging): Reply {
	const { limit = records.length, offset } = paging;
	return replyJson(records.slice(offset, offset + limit), 200, toCountHeaders(records.length, paging));
}
