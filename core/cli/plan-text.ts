import { isAbsolute } from "node:path";
import { stringifyJson } from "../contract/index.ts";
import type { Comparison } from "./compare-plan.ts";
import type { Finding, PlannedContent, PlannedRecord, ServicePlan } from "./service-plan.ts";

/** Maximum number of changed records of a kind that are listed by name. If more have changed, they are only counted. */
const maxNamed = 12;

/** Returns a plan in readable form, in groups. Up to 12 changed records of a kind are listed by name, all others are counted. */
export function toPlanText(plan: ServicePlan & { readonly running: Comparison }): string {
	const groups: readonly (readonly [title: string, lines: readonly string[]])[] = [
		["Problems", plan.problems.flatMap(toFindingLines)],
		["Warnings", plan.warnings.flatMap(toFindingLines)],
		["Node", toNodeLines(plan)],
		["Features", toFeatureLines(plan)],
		["Plugins", toPluginLines(plan)],
		["Listeners", toListenerLines(plan)],
		["Storage", toStorageLines(plan)],
		["Content", plan.content === undefined ? [] : toContentLines(plan.content)],
		[
			"Options",
			(plan.options ?? []).map(({ path, value, variable }) => `${path} = ${stringifyJson(value)}${variable ? ` (${variable})` : ""}`),
		],
		["Files", toFileLines(plan)],
		["Running service", toComparisonLines(plan.running)],
	];
	const text = groups
		.filter(([, lines]) => lines.length > 0)
		.map(([title, lines]) => `${title}\n${lines.map((line) => `  ${line}\n`).join("")}`);
	return `${text.join("\n")}\n${toVerdict(plan)}\n`;
}

function toVerdict({ would_start: wouldStart, after_running: afterRunning }: ServicePlan): string {
	if (!wouldStart) return "The service would not start.";
	return afterRunning ? "The service would start after the running service has stopped." : "The service would start.";
}

function toFindingLines({ path, message, hint }: Finding): string[] {
	const first = path === "" ? message : `${path}: ${message}`;
	return [...first.split("\n"), ...(hint === undefined ? [] : [`  hint: ${hint}`])];
}

function toNodeLines({ version, contract, config, roles }: ServicePlan): string[] {
	return [`svc ${version}, contract version ${contract}, ${config}`, ...(roles === undefined ? [] : [`roles: ${roles.join(", ")}`])];
}

function toFeatureLines({ features }: ServicePlan): string[] {
	if (features === undefined) return [];
	const { listed, left_out: leftOut } = features;
	return [...listed, ...leftOut.map((call) => `left out: ${call}`)];
}

function toPluginLines({ plugins = [] }: ServicePlan): string[] {
	return plugins.map(({ kind, name, contract, starts, capabilities = {}, trigger_types: types = [] }) => {
		const can = Object.entries(capabilities).flatMap(([capability, has]) => (has ? [capability] : []));
		const notes = [...can, ...types, ...(contract === 1 ? [] : [`contract ${contract}`]), ...(starts ? [] : ["not started here"])];
		return `${kind} ${name}${notes.length === 0 ? "" : ` (${notes.join(", ")})`}`;
	});
}

const ports = { free: "free", svc: "in use by a running svc", taken: "in use by another program" } as const;

function toListenerLines({ listeners = [] }: ServicePlan): string[] {
	return listeners.map(({ name, host, port, tls, state }) => {
		return `${name} ${tls ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${port === 0 ? "any" : port} (${ports[state]})`;
	});
}

const states = {
	new: "empty",
	older: "the schema will be migrated at the start; stored records were not read",
	ready: "the schema is up to date",
	unreachable: "unreachable",
	unknown: "cannot be inspected before the start",
} as const;

function toStorageLines({ storage, first_user: firstUser }: ServicePlan): string[] {
	if (storage === undefined) return [];
	const user = firstUser ? ["the first administrator will be created"] : [];
	// A new database gets the whole schema, so the changes are not listed.
	const changes = storage.state === "new" ? [] : storage.changes.map((name) => `change ${name}`);
	const state = storage.state === "new" ? toNewStorageText(storage.place) : states[storage.state];
	return [`${storage.place ?? storage.name}: ${state}`, ...changes, ...user];
}

/** Returns the description of an empty storage. A start creates the file of a database, but only fills a database on a server. */
export function toNewStorageText(place: string | null): string {
	return place !== null && isAbsolute(place) ? "a new database will be created" : states.new;
}

function toContentLines({ webhooks, timers, ...kinds }: PlannedContent): string[] {
	const lines = Object.entries(kinds as Readonly<Record<string, readonly PlannedRecord[]>>).flatMap(([kind, records]) => {
		const changed = records.filter(({ state }) => state !== "same" && state !== null);
		const title = `${kind.replace("_", " ")}: ${records.length}`;
		if (changed.length === 0) return [title];
		const named = changed.map(({ ref, state, changes = [] }) => `${state} ${ref}${changes.length > 0 ? ` (${changes.join(", ")})` : ""}`);
		if (named.length > maxNamed) return [`${title}, ${toCounts(changed)}`];
		return [title, ...named.map((line) => `  ${line}`)];
	});
	const notRead = kinds.rules.some(({ state }) => state === null) || kinds.packs.some(({ state }) => state === null);
	return [
		...(notRead ? ["from packs and plugins; stored records were not read"] : []),
		...lines,
		`webhooks: ${webhooks.length}`,
		...webhooks.map(({ path, state }) => `  POST ${path}${state === "new" ? " (new)" : ""}`),
		`timers: ${timers.length}`,
		...timers.map(({ type, parameters, state }) => `  ${type} ${stringifyJson(parameters)}${state === "new" ? " (new)" : ""}`),
	];
}

function toCounts(records: readonly PlannedRecord[]): string {
	const counts = new Map<string, number>();
	for (const { state } of records) counts.set(String(state), (counts.get(String(state)) ?? 0) + 1);
	return [...counts].map(([state, count]) => `${count} ${state}`).join(", ");
}

function toFileLines({ files = [] }: ServicePlan): string[] {
	return files.map(({ path, purpose, exists }) => `${path}: ${purpose}${exists ? "" : ", will be created"}`);
}

function toComparisonLines(running: Comparison): string[] {
	if (!running.compared) return [`not compared: ${running.reason}`];
	const lines = running.differences.map(
		({ what, name, change, detail }) => `${change} ${what} ${name}${detail === undefined ? "" : ` (${detail})`}`,
	);
	return [running.url, ...(lines.length === 0 ? ["no differences"] : lines)];
}
