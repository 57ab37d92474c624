import { fileURLToPath } from "node:url";
import {
	type DialectKind,
	type DialectNames,
	defineDialect,
	isJsonObject,
	type JsonObject,
	type JsonValue,
} from "../../core/contract/index.ts";
import { resolveReferences } from "./schema-references.ts";

export interface PackCompatibilityOptions {
	/** True if packs can import the platform's Python modules. Default true. */
	readonly python?: boolean;
}

/** Dialect that maps names in packs of StackStorm to those of this service, so that the packs run unchanged. */
export const packCompatibility = defineDialect("pack-compatibility", ({ python = true }: PackCompatibilityOptions) => ({
	description: "Attributes and names of StackStorm packs.",
	runnerTypes,
	triggerTypes,
	names,
	environment,
	// Relative to this file, both in the source and in the build.
	...(python && { pythonPath: fileURLToPath(new URL("./python", import.meta.url)) }),
	normalize,
}));

function normalize(kind: DialectKind, metadata: JsonObject): JsonObject {
	if (kind === "config_schema") return withDefinitionFlags(resolveReferences(metadata));
	const flagged = withFlags(metadata, ["enabled"]);
	if (kind === "sensor") return withoutNotes(flagged);
	const { parameters } = metadata;
	if (kind !== "action") return flagged;
	return isJsonObject(parameters) ? { ...flagged, parameters: closeGaps(withDefinitionFlags(parameters)) } : flagged;
}

/** Removes `payload_info`, a textual description of the payload in old sensor files. */
function withoutNotes(sensor: JsonObject): JsonObject {
	const { trigger_types } = sensor;
	if (!Array.isArray(trigger_types)) return sensor;
	const types = (trigger_types as readonly JsonValue[]).map((type) => {
		if (!isJsonObject(type)) return type;
		const { payload_info: _notes, ...known } = type;
		return known;
	});
	return { ...sensor, trigger_types: types };
}

/** Unquoted words that mean true and false in YAML 1.1, in which packs are written. */
const words: ReadonlyMap<JsonValue | undefined, boolean> = new Map<JsonValue, boolean>([
	...["yes", "Yes", "YES", "on", "On", "ON"].map((word) => [word, true] as const),
	...["no", "No", "NO", "off", "Off", "OFF"].map((word) => [word, false] as const),
]);

/** Boolean attributes of definitions. */
const definitionFlags = ["required", "immutable", "secret"];

/** Converts the words of YAML 1.1 for true and false to booleans, in these attributes only. Elsewhere such a word may be a string. */
function withFlags(metadata: JsonObject, attributes: readonly string[]): JsonObject {
	const found = attributes.filter((name) => Object.hasOwn(metadata, name) && words.has(metadata[name]));
	if (found.length === 0) return metadata;
	return Object.fromEntries(
		Object.entries(metadata).map(([name, value]) => [name, found.includes(name) ? (words.get(value) as boolean) : value]),
	);
}

/**
 * Converts the words for true and false in definitions of parameters or of a configuration, at every level, including the default of a
 * boolean parameter.
 */
function withDefinitionFlags(definitions: JsonObject): JsonObject {
	return Object.fromEntries(Object.entries(definitions).map(([name, definition]) => [name, toDefinition(definition)]));
}

function toDefinition(definition: JsonValue): JsonValue {
	if (!isJsonObject(definition)) return definition;
	const flagged = withFlags(definition, definition["type"] === "boolean" ? [...definitionFlags, "default"] : definitionFlags);
	return Object.fromEntries(
		Object.entries(flagged).map(([name, value]) => {
			if ((name === "properties" || name === "patternProperties") && isJsonObject(value)) return [name, withDefinitionFlags(value)];
			return [name, name === "items" || name === "additionalProperties" ? toDefinition(value) : value];
		}),
	);
}

/** Runner types by their name in StackStorm: the first in current packs, the others in old ones. */
const runnerTypes: DialectNames = {
	orquesta: "workflow",
	"http-runner": "http-request",
	"run-local": "local-shell-cmd",
	"run-local-script": "local-shell-script",
	"run-python": "python-script",
	"run-remote": "remote-shell-cmd",
	"run-remote-script": "remote-shell-script",
};

/** Trigger types that are built into the service. */
const triggerTypes: DialectNames = {
	...Object.fromEntries(
		[
			"CronTimer",
			"DateTimer",
			"IntervalTimer",
			"action.file_written",
			"generic.actiontrigger",
			"generic.inquiry",
			"generic.notifytrigger",
			"key_value_pair.create",
			"key_value_pair.delete",
			"key_value_pair.update",
			"key_value_pair.value_change",
			"sensor.process_exit",
			"sensor.process_spawn",
			"webhook",
		].map((name) => [`core.st2.${name}`, `core.svc.${name}`]),
	),
	// Misspelled like this in StackStorm.
	"core.st2.action.file_writen": "core.svc.action.file_written",
};

/** Names of the datastore and the service object in templates and expressions. */
const names: DialectNames = { st2kv: "svckv", st2: "svc" };

/** Environment variables of runs. */
const environment: DialectNames = {
	ST2_ACTION_API_URL: "SVC_ACTION_API_URL",
	ST2_ACTION_AUTH_TOKEN: "SVC_ACTION_AUTH_TOKEN",
	ST2_ACTION_DEBUG: "SVC_ACTION_DEBUG",
	ST2_ACTION_EXECUTION_ID: "SVC_ACTION_EXECUTION_ID",
	ST2_ACTION_PACK_NAME: "SVC_ACTION_PACK_NAME",
	ST2_API_URL: "SVC_ACTION_API_URL",
	ST2_AUTH_TOKEN: "SVC_ACTION_AUTH_TOKEN",
};

/**
 * Renumbers parameter positions from 0 without gaps, because in StackStorm only their order is significant. If positions are duplicate or
 * invalid, leaves all of them unchanged; they are refused later.
 */
function closeGaps(parameters: JsonObject): JsonObject {
	const placed = Object.entries(parameters).flatMap(([name, definition]): [string, number][] => {
		const position = isJsonObject(definition) ? (definition["position"] ?? undefined) : undefined;
		return position === undefined ? [] : [[name, position as number]];
	});
	const positions = placed.map(([, position]) => position);
	const isOrder =
		new Set(positions).size === positions.length && positions.every((position) => Number.isInteger(position) && position >= 0);
	if (!isOrder || positions.every((position) => position < positions.length)) return parameters;
	const order = new Map([...placed].sort(([, a], [, b]) => a - b).map(([name], index) => [name, index]));
	return Object.fromEntries(
		Object.entries(parameters).map(([name, definition]) => {
			const position = order.get(name);
			return [name, position === undefined ? definition : { ...(definition as JsonObject), position }];
		}),
	);
}
