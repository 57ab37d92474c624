import { Ajv, type ErrorObject, type Options, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import { isJsonObject, type JsonValue, type ParameterDefinition, stringifyJson, toErrorMessage } from "../../contract/index.ts";
import { createBoundedRegExp, isPattern } from "../bounded-regexp.ts";
import { currentWorkBudget } from "../work-budget.ts";
import {
	addExactKeywords,
	findExactValue,
	holdsLargeNumber,
	toPlainNumbers,
	type ValidationContext,
	validateExactly,
} from "./exact-numbers.ts";
import { toJsonSchema } from "./json-schema.ts";
import { toParameterError } from "./parameter-errors.ts";

/** Compiled definition. */
export interface Validator {
	/** Returns true if the value matches. Throws `SVC_INVALID` if the check takes too long. */
	isValid(value: JsonValue): boolean;
	/** Errors of the value that was checked last. */
	readonly errors: readonly ErrorObject[];
}

/** Maximum number of compiled definitions in the cache. Compiling one takes milliseconds. */
const maxCachedValidators = 1_000;
const validatorsByDefinition = new WeakMap<ParameterDefinition, Validator>();
const validatorsByContent = new Map<string, Validator>();
let ajv: Ajv | undefined;
let exactAjv: Ajv | undefined;

/** Maximum product of the numbers of values and of subschemas for which a check runs without a timeout. */
const maxPairsWithoutTimeout = 20_000;

/**
 * Returns the compiled definition, from a cache if possible. Throws `SVC_INVALID`, which names the parameter, if the definition is not
 * valid.
 */
export function toValidator(name: string, definition: ParameterDefinition): Validator {
	const cachedValidator = validatorsByDefinition.get(definition);
	if (cachedValidator !== undefined) return cachedValidator;
	try {
		const schema = toJsonSchema(definition);
		const content = stringifyJson(schema);
		const validator = validatorsByContent.get(content) ?? cacheValidator(content, compile(schema, content));
		validatorsByDefinition.set(definition, validator);
		return validator;
	} catch (error) {
		throw toParameterError(name, `the definition of parameter "${name}" is not a valid schema: ${toErrorMessage(error)}`, error);
	}
}

function cacheValidator(content: string, validator: Validator): Validator {
	if (validatorsByContent.size >= maxCachedValidators) validatorsByContent.delete(validatorsByContent.keys().next().value as string);
	validatorsByContent.set(content, validator);
	return validator;
}

function compile(schema: Readonly<Record<string, unknown>>, content: string): Validator {
	ajv ??= createAjv();
	const hasLargeNumber = holdsLargeNumber(schema);
	const plainSchema = hasLargeNumber ? (toPlainNumbers(schema) as Readonly<Record<string, unknown>>) : schema;
	try {
		const validate = ajv.compile(plainSchema);
		let validateExact: ValidateFunction | undefined;
		let lastValidate: ValidateFunction = validate;
		const subschemaCount = countObjects(schema);
		// Formats are regular expressions too, and references can multiply the work at each level.
		const isSlow = content.includes('"format":') || content.includes('"$ref":');
		return {
			isValid(value) {
				const isQuick = !isSlow && countValues(value, maxPairsWithoutTimeout) * subschemaCount <= maxPairsWithoutTimeout;
				const needsExact = hasLargeNumber || holdsLargeNumber(value);
				if (needsExact) validateExact ??= compileExact(schema);
				lastValidate = validateExact !== undefined && needsExact ? validateExact : validate;
				const check = () => (needsExact ? validateExactly(lastValidate, value) : lastValidate(value));
				return (isQuick ? check() : currentWorkBudget().checkWithTimeout(check)) === true;
			},
			get errors(): readonly ErrorObject[] {
				return lastValidate.errors ?? [];
			},
		};
	} finally {
		// Otherwise the Ajv instance would retain every schema that it has compiled.
		ajv.removeSchema(plainSchema);
	}
}

/**
 * Compiles a schema so that large whole numbers, in it or in values, are compared exactly. Called only when needed, because such numbers
 * are rare.
 */
function compileExact(schema: Readonly<Record<string, unknown>>): ValidateFunction {
	if (exactAjv === undefined) {
		// Schema validation refuses large numbers. The schema has already been validated with ordinary ones.
		exactAjv = createAjv({ validateSchema: false });
		addExactKeywords(exactAjv);
	}
	try {
		return exactAjv.compile(schema);
	} finally {
		exactAjv.removeSchema(schema);
	}
}

function createAjv(options: Options = {}): Ajv {
	// Patterns in packs target Python's engine; the Unicode mode would refuse some of their escapes.
	const regExp = Object.assign(createBoundedRegExp, { code: "createBoundedRegExp" });
	const instance = new Ajv({ strict: false, logger: false, unicodeRegExp: false, verbose: false, code: { regExp }, ...options });
	addFormats.default(instance);
	instance.addFormat("regex", isPattern);
	// Ajv's own implementation compares every pair of items, which is quadratic.
	instance.removeKeyword("uniqueItems");
	instance.addKeyword({
		keyword: "uniqueItems",
		type: "array",
		schemaType: "boolean",
		validate: (isRequired: boolean, items: readonly JsonValue[], _schema: unknown, context?: ValidationContext) =>
			!isRequired || new Set((findExactValue(context, items) as readonly JsonValue[]).map(toComparable)).size === items.length,
		error: { message: "must NOT have duplicate items" },
	});
	return instance;
}

/** Returns equal strings for equal values, independent of the order of members. */
function toComparable(value: JsonValue): string {
	if (Array.isArray(value)) return `[${value.map(toComparable).join(",")}]`;
	if (!isJsonObject(value)) return stringifyJson(value);
	const members = Object.keys(value).sort();
	return `{${members.map((name) => `${stringifyJson(name)}:${toComparable(value[name] as JsonValue)}`).join(",")}}`;
}

function countObjects(value: unknown): number {
	if (typeof value !== "object" || value === null) return 0;
	return Object.values(value).reduce<number>((sum, member) => sum + countObjects(member), 1);
}

/** Counts a value and all values in it. Stops above `limit`. */
function countValues(value: JsonValue, limit: number): number {
	if (typeof value !== "object" || value === null) return 1;
	let count = 1;
	for (const member of Object.values(value) as JsonValue[]) {
		if (count > limit) break;
		count += countValues(member, limit - count);
	}
	return count;
}
