import { isDeepStrictEqual } from "node:util";
import type { ApiClient } from "../client/api-client.ts";
import { isSvcError, type JsonObject, type NodeRole, toErrorMessage } from "../contract/index.ts";
import { CliExit } from "./context.ts";
import type { PlannedRecord, PlannedRule, ServicePlan } from "./service-plan.ts";

/** A difference between the running service and the one that would start. */
export interface Difference {
	readonly what: "version" | "roles" | "runner type" | "pack" | "rule" | "webhook";
	readonly name: string;
	/** `added`: the running service does not have it. `removed`: the service that would start does not have it. */
	readonly change: "added" | "changed" | "removed";
	/** Details of a change, such as the names of the changed fields. */
	readonly detail?: string;
}

export type Comparison =
	| { readonly compared: false; readonly reason: string }
	| { readonly compared: true; readonly url: string; readonly differences: readonly Difference[] };

// Records of the running service, with only the fields that are compared.

type RunningRule = Omit<PlannedRule, keyof PlannedRecord> & Pick<PlannedRecord, "ref">;

interface RunningNode {
	readonly name: string;
	readonly state: string;
	readonly version: string;
	readonly roles: readonly NodeRole[];
}

/** Compares a plan with the running service, if the service can be reached. */
export async function comparePlan(plan: ServicePlan, connect: () => Promise<ApiClient>): Promise<Comparison> {
	if (plan.content === undefined) return { compared: false, reason: "no plan exists to compare with" };
	try {
		const api = await connect();
		return { compared: true, url: api.addresses.apiUrl, differences: await findDifferences(plan, plan.content, api) };
	} catch (error) {
		if (error instanceof CliExit) throw error;
		const hint = isSvcError(error, "SVC_UNAUTHORIZED") ? "; sign in with `svc login <user>`, or give --token" : "";
		return { compared: false, reason: `${toErrorMessage(error)}${hint}` };
	}
}

async function findDifferences(plan: ServicePlan, content: NonNullable<ServicePlan["content"]>, api: ApiClient): Promise<Difference[]> {
	const [runnerTypes, actions, rules, webhooks] = await Promise.all([
		api.list<{ readonly name: string }>("/runnertypes"),
		api.list<{ readonly pack: string }>("/actions"),
		api.list<RunningRule>("/rules"),
		api.list<{ readonly parameters: JsonObject }>("/webhooks"),
	]);
	// The planned runner types are compared and not the plugins, because features provide runner types too.
	const runners = content.runner_types.filter(({ state }) => state !== "left").map(({ ref }) => ({ name: ref }));
	const packs = new Set([...actions.items.map(({ pack }) => pack), ...refs(content.packs.filter(isEmptyPack(content.actions)))]);
	const hooks = webhooks.items.map(({ parameters }) => `/v1/webhooks/${String(parameters["url"]).replace(/^\/+|\/+$/g, "")}`);
	const planned = new Map(content.rules.map((rule) => [rule.ref, rule]));
	const stored = [
		...compareNames("pack", refs(content.packs), [...packs]),
		...compareNames("rule", [...planned.keys()], refs(rules.items)),
		...rules.items.flatMap((running) => compareRule(planned.get(running.ref), running)),
		...compareNames(
			"webhook",
			content.webhooks.map(({ path = "" }) => path),
			hooks,
		),
	];
	return [
		...(await compareNodes(plan, api)),
		...compareNames("runner type", names(runners), names(runnerTypes.items)),
		// If the stored records could not be read, records that are missing from the plan may still exist.
		...stored.filter(({ change }) => change !== "removed" || content.packs.every(({ state }) => state !== null)),
	];
}

function refs(items: readonly { readonly ref: string }[]): string[] {
	return items.map(({ ref }) => ref);
}

/**
 * Returns true for packs without actions. The packs of the running service are derived from its actions, so a pack without actions counts
 * as running.
 */
function isEmptyPack(actions: readonly PlannedRecord[]) {
	return ({ ref }: PlannedRecord) => !actions.some((action) => action.ref.startsWith(`${ref}.`));
}

function names(items: readonly { readonly name: string }[]): string[] {
	return items.map(({ name }) => name);
}

/** Compares versions, and roles if only one node is listed. Only administrators can list nodes; other users see no differences here. */
async function compareNodes({ version, roles = [] }: ServicePlan, { list }: ApiClient): Promise<Difference[]> {
	const nodes = await list<RunningNode>("/nodes").catch((error: unknown) => {
		if (isSvcError(error, "SVC_FORBIDDEN")) return { items: [] };
		throw error;
	});
	const liveNodes = nodes.items.filter(({ state }) => state !== "gone");
	return liveNodes.flatMap((node) => {
		const toChange = (what: Difference["what"], before: string, after: string): Difference[] =>
			before === after ? [] : [{ what, name: `node ${node.name}`, change: "changed", detail: `${before} to ${after}` }];
		return [
			...toChange("version", node.version, version),
			...(liveNodes.length > 1 ? [] : toChange("roles", node.roles.join(", "), roles.join(", "))),
		];
	});
}

function compareNames(what: Difference["what"], planned: readonly string[], running: readonly string[]): Difference[] {
	return [
		...planned.filter((name) => !running.includes(name)).map((name): Difference => ({ what, name, change: "added" })),
		...running.filter((name) => !planned.includes(name)).map((name): Difference => ({ what, name, change: "removed" })),
	];
}

function compareRule(planned: PlannedRule | undefined, running: RunningRule): Difference[] {
	if (planned === undefined) return [];
	const { trigger, action } = running;
	const there = {
		enabled: running.enabled,
		description: running.description,
		trigger: { type: trigger.type, parameters: trigger.parameters },
		criteria: running.criteria,
		action: { ref: action.ref, parameters: action.parameters },
	};
	const changed = Object.entries(there).filter(([member, value]) => !isDeepStrictEqual(planned[member as keyof PlannedRule], value));
	if (changed.length === 0) return [];
	return [{ what: "rule", name: running.ref, change: "changed", detail: changed.map(([member]) => member).join(", ") }];
}
