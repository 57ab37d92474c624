import type { JsonObject, JsonValue, ParameterDefinition, ParameterDefinitions } from "../../contract/index.ts";
import { secretMask } from "../../contract/secret-mask.ts";
import { type Datastore, emptyDatastore } from "../templates/datastore.ts";
import { assertCallerEnvironment } from "./caller-environment.ts";
import { checkGivenParameters } from "./check-submitted-parameters.ts";
import { assertDepth } from "./depth.ts";
import { withNestedDefaults } from "./nested-defaults.ts";
import { toParameterError } from "./parameter-errors.ts";
import { type ParameterSource, Rendering } from "./rendering.ts";
import { maskBySchema } from "./schema-masking.ts";
import { type SchemaPair, toSchemaPair } from "./schema-pair.ts";
import { validateParameter } from "./validate.ts";

/**
 * Names that templates can use in addition to the parameters and `svckv`: `action_context`, `config_context` (the configuration of the
 * pack), and names that the caller adds, such as `trigger`. The first two default to empty objects.
 */
export type RenderContext = Readonly<Record<string, JsonValue>>;

/** Input for rendering the parameters of a new execution. */
export interface LiveInput {
	/** Reuse the same schema objects between calls if possible: data derived from them is cached by identity. */
	readonly runnerSchema: ParameterDefinitions;
	readonly actionSchema: ParameterDefinitions;
	/** Values as the caller sent them. */
	readonly callerValues: JsonObject;
	/**
	 * Values for parameters that are absent from `callerValues`. They are those of the execution that a re-run repeats, and are never
	 * rendered.
	 */
	readonly earlierValues?: JsonObject;
	/** Names of values in `callerValues` that are not rendered, because they contain parts of stored values. */
	readonly literalNames?: readonly string[];
	readonly context: RenderContext;
	/** Datastore that `svckv` reads; `renderWithLookups` provides it. Default: no items. */
	readonly datastore?: Datastore;
	/** Datastore for templates in `callerValues`. Default: `datastore`. */
	readonly callerDatastore?: Datastore;
	/**
	 * Keeps templates in `callerValues` from secrets that the caller may not see: secrets of the action, of its pack, and of an earlier
	 * execution.
	 */
	readonly secretGuard?: SecretGuard | undefined;
}

/** Data that protects secrets from templates of the caller. */
export interface SecretGuard {
	/**
	 * `config_context` with its secrets masked. It is used for a second rendering, which shows which values derive from a secret. With a
	 * guard, templates of the caller cannot read `config_context` at all.
	 */
	readonly maskedConfig: JsonObject;
}

/** Input for rendering the parameters of a run. */
export interface FinalInput {
	readonly runnerSchema: ParameterDefinitions;
	readonly actionSchema: ParameterDefinitions;
	/** Result of `renderLive`. Its values are used as they are and never rendered again. */
	readonly storedParameters: JsonObject;
	readonly context: RenderContext;
	/** Datastore that `svckv` reads. Default: no items. */
	readonly datastore?: Datastore;
}

/** Parameters of a run, split between the runner and the action. */
export interface FinalParameters {
	/** Parameters of the runner; those without a value are absent. */
	readonly runnerParameters: JsonObject;
	/** Other parameters of the action in the order of their declaration; those without a value are null. */
	readonly actionParameters: JsonObject;
}

const emptyContext: RenderContext = { action_context: {}, config_context: {} };

/** Adds the names that must always exist, as empty objects, if the context lacks them. */
export function withEmptyContext(context: RenderContext): RenderContext {
	const isComplete = Object.hasOwn(context, "action_context") && Object.hasOwn(context, "config_context");
	return isComplete ? context : { ...emptyContext, ...context };
}

/**
 * Returns the parameters to store with a new execution: the given values, rendered, cast and validated, and the results of templated
 * defaults that are not immutable. Unknown, immutable and missing parameters are refused first. Throws `SVC_INVALID`, which names the
 * parameter; `isTemplateProblem` returns true if a template failed.
 */
export function renderLive({
	runnerSchema,
	actionSchema,
	callerValues,
	earlierValues = {},
	literalNames = [],
	...options
}: LiveInput): JsonObject {
	const schemaPair = toSchemaPair(runnerSchema, actionSchema);
	const names = [...new Set([...Object.keys(earlierValues), ...Object.keys(callerValues)])];
	const hasValue = (values: JsonObject, name: string) => Object.hasOwn(values, name);
	const valueFor = (name: string): JsonValue =>
		(hasValue(callerValues, name) ? callerValues[name] : hasValue(earlierValues, name) ? earlierValues[name] : null) ?? null;
	// A value that is too deep must be refused before any recursive code reads it, and before it is stored.
	for (const name of names) assertDepth(name, valueFor(name));
	checkGivenParameters(schemaPair.schema, Object.fromEntries(names.map((name) => [name, valueFor(name)])));
	const isFromCaller = (name: string) => hasValue(callerValues, name) && !literalNames.includes(name);
	const source = (name: string): ParameterSource | undefined => {
		const value = valueFor(name);
		return value === null ? schemaPair.defaults.get(name) : { value, isRendered: isFromCaller(name), isFromCaller: isFromCaller(name) };
	};
	const isEarlierValue = (name: string) => hasValue(earlierValues, name) && valueFor(name) !== null && !hasValue(callerValues, name);
	const rendering = toLiveRendering(schemaPair, { source, isEarlierValue }, options);
	const storedEntries = names.map((name): [string, JsonValue] => [
		name,
		valueFor(name) === null ? null : validateValue(name, rendering.resolve(name), schemaPair.schema, runnerSchema),
	]);
	for (const name of schemaPair.templatedNames) {
		if (hasValue(callerValues, name) || hasValue(earlierValues, name)) continue;
		// An immutable default is not stored. It is still rendered, so that an error is reported now instead of when the execution runs.
		const value = validateValue(name, rendering.resolve(name), schemaPair.schema, runnerSchema);
		if (schemaPair.schema[name]?.immutable !== true) storedEntries.push([name, value]);
	}
	const parameters = Object.fromEntries(storedEntries);
	assertCallerEnvironment(parameters, { callerValues, earlierValues }, { schema: schemaPair.schema, runnerSchema });
	return parameters;
}

interface LiveSources {
	readonly source: (name: string) => ParameterSource | undefined;
	/** Returns true if the value of a parameter was copied from an earlier execution. */
	readonly isEarlierValue: (name: string) => boolean;
}

function toLiveRendering(
	schemaPair: SchemaPair,
	{ source, isEarlierValue }: LiveSources,
	{
		context,
		datastore = emptyDatastore,
		callerDatastore = datastore,
		secretGuard,
	}: Omit<LiveInput, "runnerSchema" | "actionSchema" | "callerValues">,
): Rendering {
	const fullContext = withEmptyContext(context);
	if (secretGuard === undefined) {
		const access = callerDatastore === datastore ? undefined : { context: fullContext, datastore: callerDatastore };
		return new Rendering(schemaPair.schema, { sourceOf: source, datastore, context: fullContext, callerAccess: access });
	}
	// The stored result of a templated default may contain any value that the template reads, including secrets.
	const conceal = (name: string, value: JsonValue) =>
		isEarlierValue(name) && schemaPair.templatedNames.includes(name)
			? secretMask
			: (maskBySchema({ [name]: value }, schemaPair.schema)[name] ?? null);
	const renderingWithMasks = new Rendering(schemaPair.schema, {
		sourceOf: source,
		conceal,
		datastore: {
			find: (scope, name) => datastore.find(scope, name),
			decrypt: () => secretMask,
		},
		context: { ...fullContext, config_context: secretGuard.maskedConfig },
	});
	const { config_context: _config, ...contextWithoutConfig } = fullContext;
	return new Rendering(schemaPair.schema, {
		sourceOf: source,
		datastore,
		context: fullContext,
		callerAccess: { context: contextWithoutConfig, datastore: callerDatastore, maskedRendering: renderingWithMasks },
	});
}

/**
 * Returns the parameters for a run, with every default applied and rendered, cast, validated, and split between runner and action. Throws
 * `SVC_INVALID`, which names the parameter.
 */
export function renderFinal({ runnerSchema, actionSchema, storedParameters, context, datastore }: FinalInput): FinalParameters {
	const schemaPair = toSchemaPair(runnerSchema, actionSchema);
	const source = (name: string) => finalSource(schemaPair, storedParameters, name);
	const rendering = new Rendering(schemaPair.schema, { sourceOf: source, datastore, context: withEmptyContext(context) });
	const runnerParameters: [string, JsonValue][] = [];
	const actionParameters: [string, JsonValue][] = [];
	for (const name of schemaPair.names) {
		const definition = schemaPair.schema[name] as ParameterDefinition;
		const value = validateValue(name, withNestedDefaults(rendering.resolve(name), definition), schemaPair.schema, runnerSchema);
		if (!Object.hasOwn(runnerSchema, name)) actionParameters.push([name, value]);
		else if (value !== null || definition.type === "null") runnerParameters.push([name, value]);
	}
	if (schemaPair.names.length === 0) actionParameters.push(...Object.entries(storedParameters));
	return { runnerParameters: Object.fromEntries(runnerParameters), actionParameters: Object.fromEntries(actionParameters) };
}

function finalSource(schemaPair: SchemaPair, stored: JsonObject, name: string): ParameterSource | undefined {
	const isImmutable = Object.hasOwn(schemaPair.schema, name) && schemaPair.schema[name]?.immutable === true;
	const value = !isImmutable && Object.hasOwn(stored, name) ? (stored[name] ?? null) : null;
	return value === null ? schemaPair.defaults.get(name) : { value, isRendered: false };
}

/** Validates the value of a parameter and returns it. */
function validateValue(name: string, value: JsonValue, schema: ParameterDefinitions, runnerSchema: ParameterDefinitions): JsonValue {
	// Runners calculate with their own parameters, such as seconds, and expect ordinary numbers.
	if (typeof value === "bigint" && /^(?:integer|number)$/.test(runnerSchema[name]?.type ?? "")) {
		throw toParameterError(name, `parameter "${name}" must be between -${Number.MAX_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`);
	}
	const definition = Object.hasOwn(schema, name) ? schema[name] : undefined;
	if (definition === undefined) return value;
	if (value !== null) validateParameter(name, value, definition);
	else if (definition.required === true && definition.type !== "null") {
		throw toParameterError(name, `parameter "${name}" is required and must not be null`);
	}
	return value;
}
