import { type JsonObject, SvcError } from "../../core/contract/index.ts";
import {
	answerJson,
	createRouteDeclarations,
	defineBody,
	describeList,
	type Executions,
	type Reply,
	type RouteContext,
	replyJson,
	type SubmitInput,
	toActionResource,
} from "../../core/feature.ts";
import type { JobName } from "./install/packs-pack.ts";
import type { PackInstalls } from "./pack-installs.ts";
import { followedSchema, lockEntrySchema, newerSchema, packJobSchema } from "./schemas.ts";

/** Engine members used by the routes. */
interface RouteServices {
	readonly executions: Pick<Executions, "submit">;
	readonly packInstalls: PackInstalls;
}

const { defineRoute } = createRouteDeclarations<RouteServices>();

const names = { type: "array", items: { type: "string", minLength: 1, maxLength: 2_000 }, maxItems: 100 };
const flag = { type: "boolean" };

const installBody = defineBody<JsonObject>({
	properties: {
		packs: names,
		force: flag,
		skip_dependencies: flag,
		locked: { type: "array", items: { type: "object" }, maxItems: 1_000 },
	},
	closed: true,
});
const uninstallBody = defineBody<JsonObject>({ properties: { packs: names, force: flag }, required: ["packs"], closed: true });
const upgradeBody = defineBody<JsonObject>({
	properties: { packs: names, all: flag, force: flag, skip_dependencies: flag },
	closed: true,
});
const rollbackBody = defineBody<JsonObject>({
	properties: { pack: { type: "string", minLength: 1, maxLength: 255 }, version: { type: "string", minLength: 1, maxLength: 255 } },
	required: ["pack"],
	closed: true,
});

const answers = {
	202: answerJson(packJobSchema, { description: "The execution of the request has started." }),
};

/** Routes that change the installed packs. Each request submits an execution of an action of the pack `packs`. */
export const packInstallRoutes = [
	defineRoute({
		method: "POST",
		path: "/packs/install",
		summary: "Install packs",
		description:
			"Body: `{packs, force, skip_dependencies}`, or `{locked}` with the entries of a lock file. Also requires `action_execute` on `packs.install`.",
		answers,
		permission: "pack_install",
		body: installBody,
		async handler(context) {
			// An invalid address is rejected here, before an execution is created with it.
			const { packs = [], locked = [] } = context.body as { readonly packs?: readonly string[]; readonly locked?: readonly unknown[] };
			assertSomething(packs, locked);
			await context.engine.packInstalls.check(packs, locked);
			return begin(context, "install");
		},
	}),
	defineRoute({
		method: "POST",
		path: "/packs/uninstall",
		summary: "Remove packs",
		description: "Body: `{packs, force}`. Also requires `action_execute` on `packs.uninstall`.",
		answers,
		permission: "pack_uninstall",
		body: uninstallBody,
		handler(context) {
			const packs = context.body["packs"] as readonly string[];
			assertSomething(packs);
			return beginOn(context, "uninstall", packs);
		},
	}),
	defineRoute({
		method: "POST",
		path: "/packs/upgrade",
		summary: "Upgrade packs",
		description: "Body: `{packs, all, force, skip_dependencies}`. Also requires `action_execute` on `packs.upgrade`.",
		answers,
		permission: "pack_install",
		body: upgradeBody,
		handler(context) {
			const { packs = [], all = false } = context.body as { readonly packs?: readonly string[]; readonly all?: boolean };
			if ((packs.length === 0) !== all) throw new SvcError("SVC_INVALID", "packs: name the packs or set all");
			return beginOn(context, "upgrade", packs);
		},
	}),
	defineRoute({
		method: "POST",
		path: "/packs/rollback",
		summary: "Return to an earlier version of a pack",
		description: "Body: `{pack, version}`. Also requires `action_execute` on `packs.rollback`.",
		answers,
		permission: "pack_install",
		body: rollbackBody,
		handler: (context) => beginOn(context, "rollback", [String(context.body["pack"])]),
	}),
	defineRoute({
		method: "GET",
		path: "/packs/views/outdated",
		summary: "Compare installed packs with their sources",
		description: "Contacts each source, which may take a while.",
		answers: { 200: describeList(newerSchema) },
		permission: "pack_search",
		async handler({ engine }) {
			return replyJson(await engine.packInstalls.outdated());
		},
	}),
	defineRoute({
		method: "GET",
		path: "/packs/views/followed",
		summary: "List the packs that are synced from git",
		description: "Includes the outcome of the last check.",
		answers: { 200: describeList(followedSchema) },
		permission: "pack_list",
		async handler({ engine }) {
			return replyJson(await engine.packInstalls.followed());
		},
	}),
	defineRoute({
		method: "GET",
		path: "/packs/views/lock",
		summary: "Get the lock file entries of the installed packs",
		answers: { 200: describeList(lockEntrySchema) },
		permission: "pack_list",
		async handler({ engine }) {
			return replyJson(await engine.packInstalls.lock());
		},
	}),
];

type JobContext = Pick<RouteContext<RouteServices>, "engine" | "guard" | "principal"> & { readonly body: JsonObject };

/** Throws `SVC_INVALID` for a job without packs, which would succeed and do nothing. */
function assertSomething(packs: readonly string[], locked: readonly unknown[] = []): void {
	if (packs.length + locked.length === 0) throw new SvcError("SVC_INVALID", "packs: name at least one pack");
}

/** Submits a job. Throws `SVC_INVALID` before an execution is created if the service follows one of the packs in git. */
async function beginOn(context: JobContext, name: JobName, packs: readonly string[]): Promise<Reply> {
	await context.engine.packInstalls.assertNotFollowed(...packs);
	return begin(context, name);
}

async function begin({ engine, guard, principal, body }: JobContext, name: JobName): Promise<Reply> {
	const action = `packs.${name}`;
	guard.assert(principal, "action_execute", toActionResource(action));
	// Braces in an address or a path are literal, not a template.
	const input: SubmitInput = { action, parameters: body, literalParameters: Object.keys(body) };
	const { entity } = await engine.executions.submit(input, principal);
	return replyJson({ execution_id: entity.id }, 202);
}
