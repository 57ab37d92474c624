import { Ajv, type ErrorObject, type Options, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import { isJsonObject, type JsonValue, type ParameterDefinition, stringifyJson, toErrorMessage } from "../../contract/index.ts";
import { createBoundedRegExp, isPattern } from "../safe-regexp.ts";
import { currentWork } from "../work-budget.ts";
import { addExactWords, findExact, holdsLargeNumber, toPlainNumbers, type ValidatedAt, validateExactly } from "./exact-numbers.ts";
import { toJsonSchema } from "./json-schema.ts";
import { invalidParameter } from "./parameter-errors.ts";

/** A definition, compiled. */
export interface Validator {
	/** Throws `SVC_INVALID` when it takes too long. */
	isValid(value: JsonValue): boolean;
	/** What was wrong with the value last looked at. */
	readonly errors: readonly ErrorObject[];
}

/** Definitions kept compiled; compiling one takes milliseconds. */
const cacheSize = 1_000;
const byDefinition = new WeakMap<ParameterDefinition, Validator>();
const byContent = new Map<string, Validator>();
let ajv: Ajv | undefined;
let exactAjv: Ajv | undefined;

/** Pairs of a definition and a value that are looked at without a watch over the time. */
const quickPairs = 20_000;

/** Compile a definition, unless that has been done. `SVC_INVALID` names the parameter and says what is wrong with it. */
export function toValidator(name: string, definition: ParameterDefinition): Validator {
	const known = byDefinition.get(definition);
	if (known !== undefined) return known;
	try {
		const schema = toJsonSchema(definition);
		const content = stringifyJson(schema);
		const validator = byContent.get(content) ?? keep(content, compile(schema, content));
		byDefinition.set(definition, validator);
		return validator;
	} catch (error) {
		throw invalidParameter(name, `the definition of parameter "${name}" is no valid schema: ${toErrorMessage(error)}`, error);
	}
}

function keep(content: string, validator: Validator): Validator {
	if (byContent.size >= cacheSize) byContent.delete(byContent.keys().next().value as string);
	byContent.set(content, validator);
	return validator;
}

function compile(schema: Readonly<Record<string, unknown>>, content: string): Validator {
	ajv ??= createAjv();
	const isLarge = holdsLargeNumber(schema);
	const plain = isLarge ? (toPlainNumbers(schema) as Readonly<Record<string, unknown>>) : schema;
	try {
		const validate = ajv.compile(plain);
		let exact: ValidateFunction | undefined;
		let last: ValidateFunction = validate;
		const size = countObjects(schema);
		// Formats are regular expressions too, and references can multiply the work at each level.
		const isSlow = content.includes('"format":') || content.includes('"$ref":');
		return {
			isValid(value) {
				const isQuick = !isSlow && countValues(value, quickPairs) * size <= quickPairs;
				const needsExact = isLarge || holdsLargeNumber(value);
				if (needsExact) exact ??= compileExact(schema);
				last = exact !== undefined && needsExact ? exact : validate;
				const check = () => (needsExact ? validateExactly(last, value) : last(value));
				return (isQuick ? check() : currentWork().checked(check)) === true;
			},
			get errors(): readonly ErrorObject[] {
				return last.errors ?? [];
			},
		};
	} finally {
		// The instance would keep every schema it has ever compiled.
		ajv.removeSchema(plain);
	}
}

/** Compiles a schema for values with large whole numbers, which few have. */
function compileExact(schema: Readonly<Record<string, unknown>>): ValidateFunction {
	if (exactAjv === undefined) {
		// It would refuse a large number in a schema. Everything else has been looked at before.
		exactAjv = createAjv({ validateSchema: false });
		addExactWords(exactAjv);
	}
	try {
		return exactAjv.compile(schema);
	} finally {
		exactAjv.removeSchema(schema);
	}
}

function createAjv(options: Options = {}): Ajv {
	// Patterns come from packs written for another engine, whose escapes the unicode mode would refuse.
	const regExp = Object.assign(createBoundedRegExp, { code: "createBoundedRegExp" });
	const instance = new Ajv({ strict: false, logger: false, unicodeRegExp: false, verbose: false, code: { regExp }, ...options });
	addFormats.default(instance);
	instance.addFormat("regex", isPattern);
	// Its own compares each item with each other one.
	instance.removeKeyword("uniqueItems");
	instance.addKeyword({
		keyword: "uniqueItems",
		type: "array",
		schemaType: "boolean",
		validate: (isDemanded: boolean, items: readonly JsonValue[], _schema: unknown, at?: ValidatedAt) =>
			!isDemanded || new Set((findExact(at, items) as readonly JsonValue[]).map(toComparable)).size === items.length,
		error: { message: "must NOT have duplicate items" },
	});
	return instance;
}

/** Equal texts for equal values, whatever the order of their members. */
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

/** How many values there are in a value, itself included; no more than `most` are counted. */
function countValues(value: JsonValue, most: number): number {
	if (typeof value !== "object" || value === null) return 1;
	let count = 1;
	for (const member of Object.values(value) as JsonValue[]) {
		if (count > most) break;
		count += countValues(member, most - count);
	}
	return count;
}
