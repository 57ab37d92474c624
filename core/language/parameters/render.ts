import type { JsonObject, JsonValue, ParameterDefinition, ParameterSchema } from "../../contract/index.ts";
import { type Datastore, emptyDatastore } from "../templates/datastore.ts";
import { assertCallerVariables } from "./caller-variables.ts";
import { checkGiven } from "./check-given.ts";
import { assertDepth } from "./depth.ts";
import { withNestedDefaults } from "./nested-defaults.ts";
import { invalidParameter } from "./parameter-errors.ts";
import { Rendering, type Source } from "./rendering.ts";
import { mask, maskBySchema } from "./schema-masking.ts";
import { type Plan, toPlan } from "./schema-pair.ts";
import { validateParameter } from "./validate.ts";

/**
 * What templates can use beside the parameters and `svckv`: `action_context`, `config_context` (the pack's configuration), and
 * whatever the caller adds, such as `trigger`. The first two exist, empty, when they are left out.
 */
export type RenderContext = Readonly<Record<string, JsonValue>>;

export interface LiveInput {
	/** Keep the same schema objects between calls where possible: what is made of them is cached by identity. */
	readonly runnerSchema: ParameterSchema;
	readonly actionSchema: ParameterSchema;
	/** As the caller sent them. */
	readonly given: JsonObject;
	/** Values taken as plain text where `given` has none: what an earlier execution has stored, for a re-run. */
	readonly plain?: JsonObject;
	/** Names of given ones that are plain text as well: they hold parts of such values. */
	readonly literal?: readonly string[];
	readonly context: RenderContext;
	/** What `svckv` reads; `renderWithLookups` has it. Default: no items. */
	readonly datastore?: Datastore;
	/** Datastore for templates in `given`. Default: `datastore`. */
	readonly givenDatastore?: Datastore;
	/** Keeps templates in `given` from secrets that are not the caller's: those of the action, of its pack, of an earlier execution. */
	readonly guard?: LiveGuard | undefined;
}

export interface LiveGuard {
	/** `config_context` with its secrets masked. They may not use it; values that are made of a secret in it are told by it. */
	readonly maskedConfig: JsonObject;
}

export interface FinalInput {
	readonly runnerSchema: ParameterSchema;
	readonly actionSchema: ParameterSchema;
	/** What `renderLive` returned. Taken as plain values, never rendered again. */
	readonly stored: JsonObject;
	readonly context: RenderContext;
	/** As above. */
	readonly datastore?: Datastore;
}

export interface FinalParameters {
	/** The runner's parameters. Those without a value are absent. */
	readonly runnerParameters: JsonObject;
	/** The action's other parameters in declaration order; those without a value are null. */
	readonly actionParameters: JsonObject;
}

const emptyContext: RenderContext = { action_context: {}, config_context: {} };

/** The names that always exist, and those of the caller. */
export function withEmptyContext(context: RenderContext): RenderContext {
	const isWhole = Object.hasOwn(context, "action_context") && Object.hasOwn(context, "config_context");
	return isWhole ? context : { ...emptyContext, ...context };
}

/**
 * The parameters to store with a new execution: what was given, rendered, cast and validated, and the results of templated
 * defaults that are not immutable. Unknown, immutable and missing parameters are refused first. `SVC_INVALID` names the
 * parameter; `isTemplateProblem` tells whether a template was at fault.
 */
export function renderLive({ runnerSchema, actionSchema, given, plain = {}, literal = [], ...rest }: LiveInput): JsonObject {
	const plan = toPlan(runnerSchema, actionSchema);
	const names = [...new Set([...Object.keys(plain), ...Object.keys(given)])];
	const isGiven = (values: JsonObject, name: string) => Object.hasOwn(values, name);
	const valueFor = (name: string): JsonValue => (isGiven(given, name) ? given[name] : isGiven(plain, name) ? plain[name] : null) ?? null;
	// Before anything walks the values, or somebody stores them.
	for (const name of names) assertDepth(name, valueFor(name));
	checkGiven(plan.schema, Object.fromEntries(names.map((name) => [name, valueFor(name)])));
	const isCallers = (name: string) => isGiven(given, name) && !literal.includes(name);
	const source = (name: string): Source | undefined => {
		const value = valueFor(name);
		return value === null ? plan.defaults.get(name) : { value, isRendered: isCallers(name), isGiven: isCallers(name) };
	};
	const isPlain = (name: string) => isGiven(plain, name) && valueFor(name) !== null && !isGiven(given, name);
	const rendering = toLiveRendering(plan, { source, isPlain }, rest);
	const stored = names.map((name): [string, JsonValue] => [
		name,
		valueFor(name) === null ? null : checked(name, rendering.resolve(name), plan.schema, runnerSchema),
	]);
	for (const name of plan.templated) {
		if (isGiven(given, name) || isGiven(plain, name)) continue;
		// An immutable one is not stored, but what is wrong with it had better be known now than when it runs.
		const value = checked(name, rendering.resolve(name), plan.schema, runnerSchema);
		if (plan.schema[name]?.immutable !== true) stored.push([name, value]);
	}
	const parameters = Object.fromEntries(stored);
	assertCallerVariables(parameters, { given, plain }, { schema: plan.schema, runnerSchema });
	return parameters;
}

interface LiveSources {
	readonly source: (name: string) => Source | undefined;
	/** Whether its value is that of an earlier execution. */
	readonly isPlain: (name: string) => boolean;
}

function toLiveRendering(
	plan: Plan,
	{ source, isPlain }: LiveSources,
	{ context, datastore = emptyDatastore, givenDatastore = datastore, guard }: Omit<LiveInput, "runnerSchema" | "actionSchema" | "given">,
): Rendering {
	const whole = withEmptyContext(context);
	if (guard === undefined) {
		const given = givenDatastore === datastore ? undefined : { context: whole, datastore: givenDatastore };
		return new Rendering(plan.schema, { source, datastore, context: whole, given });
	}
	// What a default made in an earlier execution may hold what the default reads.
	const conceal = (name: string, value: JsonValue) =>
		isPlain(name) && plan.templated.includes(name) ? mask : (maskBySchema({ [name]: value }, plan.schema)[name] ?? null);
	const masked = new Rendering(plan.schema, {
		source,
		conceal,
		datastore: {
			text: (scope, name) => datastore.text(scope, name),
			find: (scope, name) => datastore.find(scope, name),
			decrypt: () => mask,
		},
		context: { ...whole, config_context: guard.maskedConfig },
	});
	const { config_context: _config, ...open } = whole;
	return new Rendering(plan.schema, { source, datastore, context: whole, given: { context: open, datastore: givenDatastore, masked } });
}

/** The parameters for a run: every default applied and rendered, cast, validated, split between runner and action. `SVC_INVALID` as above. */
export function renderFinal({ runnerSchema, actionSchema, stored, context, datastore }: FinalInput): FinalParameters {
	const plan = toPlan(runnerSchema, actionSchema);
	const source = (name: string) => finalSource(plan, stored, name);
	const rendering = new Rendering(plan.schema, { source, datastore, context: withEmptyContext(context) });
	const runnerParameters: [string, JsonValue][] = [];
	const actionParameters: [string, JsonValue][] = [];
	for (const name of plan.names) {
		const definition = plan.schema[name] as ParameterDefinition;
		const value = checked(name, withNestedDefaults(rendering.resolve(name), definition), plan.schema, runnerSchema);
		if (!Object.hasOwn(runnerSchema, name)) actionParameters.push([name, value]);
		else if (value !== null || definition.type === "null") runnerParameters.push([name, value]);
	}
	if (plan.names.length === 0) actionParameters.push(...Object.entries(stored));
	return { runnerParameters: Object.fromEntries(runnerParameters), actionParameters: Object.fromEntries(actionParameters) };
}

function finalSource(plan: Plan, stored: JsonObject, name: string): Source | undefined {
	const isImmutable = Object.hasOwn(plan.schema, name) && plan.schema[name]?.immutable === true;
	const value = !isImmutable && Object.hasOwn(stored, name) ? (stored[name] ?? null) : null;
	return value === null ? plan.defaults.get(name) : { value, isRendered: false };
}

/** The value of a parameter, validated. */
function checked(name: string, value: JsonValue, schema: ParameterSchema, runnerSchema: ParameterSchema): JsonValue {
	// Runners count with their own parameters, such as seconds, and read them as plain numbers.
	if (typeof value === "bigint" && /^(?:integer|number)$/.test(runnerSchema[name]?.type ?? "")) {
		throw invalidParameter(name, `parameter "${name}" must be at most ${Number.MAX_SAFE_INTEGER}, and at least its negative`);
	}
	const definition = Object.hasOwn(schema, name) ? schema[name] : undefined;
	if (definition === undefined) return value;
	if (value !== null) validateParameter(name, value, definition);
	else if (definition.required === true && definition.type !== "null") {
		throw invalidParameter(name, `parameter "${name}" is required and must not be null`);
	}
	return value;
}
