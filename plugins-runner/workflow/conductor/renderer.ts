import {
	type Expressions,
	isJsonObject,
	isSvcError,
	type JsonObject,
	type JsonValue,
	stringifyJson,
	toErrorMessage,
} from "../../../core/contract/index.ts";
import type { SourceLocation, Timing } from "../definition/definition.ts";
import type { Evaluation, ExpressionView } from "./evaluation.ts";
import { isArray } from "./find-large-parts.ts";

/** A value of the definition that cannot be evaluated, or that is not allowed there. */
export class RenderingError extends Error {
	override readonly name = "RenderingError";
	/** Data for the entry in the `errors` of the workflow. */
	readonly data: JsonObject;

	constructor(message: string, data: JsonObject, cause?: unknown) {
		super(message, { cause });
		this.data = data;
	}
}

/** Maximum number of variables, and of members of an object, that an error shows. */
const maxShownNames = 10;
/** Maximum characters of a string that an error shows. */
const maxShownCharacters = 80;
/** Maximum delay, timeout or count: ten years in seconds. */
const maxSeconds = 10 * 366 * 86_400;

/** Evaluates values of the definition. Errors name the location in the definition, and the variables that the expression used. */
export class Renderer {
	readonly #expressions: Expressions;
	readonly #evaluation: Evaluation;

	constructor(expressions: Expressions, evaluation: Evaluation) {
		this.#expressions = expressions;
		this.#evaluation = evaluation;
	}

	/** Evaluates a value. Rejects with a `RenderingError`, or with `SVC_UNAVAILABLE` if a result cannot be reached. */
	async render(value: JsonValue, view: ExpressionView, place: SourceLocation): Promise<JsonValue> {
		try {
			return await this.#evaluation.evaluate(value, view);
		} catch (error) {
			if (!isCausedByDefinition(error)) throw error;
			const expression = isSvcError(error) && typeof error.facts["expression"] === "string" ? error.facts["expression"] : undefined;
			throw await this.#toError(toErrorMessage(error), { value: expression ?? value, view, place, cause: error });
		}
	}

	/** Returns true if a condition holds. A string without an expression counts as true. */
	async evaluateCondition(when: string, view: ExpressionView, place: SourceLocation): Promise<boolean> {
		if (this.#expressions.find(when).length === 0) return true;
		return isTruthy(await this.render(when, view, place));
	}

	/** Evaluates a whole number from 0 to `maxSeconds`. Rejects with a `RenderingError` for other values. */
	async renderCount(timing: Timing, what: string, view: ExpressionView): Promise<number> {
		return this.#number(timing, { what, view, isAllowed: Number.isSafeInteger, wanted: "integer" });
	}

	/** Evaluates a number of seconds from 0 to `maxSeconds`, which may have a fraction. Rejects with a `RenderingError` for other values. */
	async renderSeconds(timing: Timing, what: string, view: ExpressionView): Promise<number> {
		return this.#number(timing, { what, view, isAllowed: Number.isFinite, wanted: "number" });
	}

	/** Returns the error for a value that is not allowed in its location. */
	async createError(message: string, value: JsonValue, view: ExpressionView, place: SourceLocation): Promise<RenderingError> {
		return this.#toError(message, { value, view, place, cause: undefined });
	}

	async #number(
		timing: Timing,
		{ what, view, isAllowed, wanted }: { what: string; view: ExpressionView; isAllowed(value: unknown): boolean; wanted: string },
	): Promise<number> {
		const value = await this.render(timing.value, view, timing);
		if (typeof value !== "number" || !isAllowed(value)) {
			throw await this.createError(`TypeError: The value of ${what} is not type of ${wanted}.`, timing.value, view, timing);
		}
		if (value < 0 || value > maxSeconds) {
			throw await this.createError(`ValueError: The value of ${what} is not between 0 and ${maxSeconds}.`, timing.value, view, timing);
		}
		return value;
	}

	async #toError(
		message: string,
		{ value, view, place, cause }: { value: JsonValue; view: ExpressionView; place: SourceLocation; cause: unknown },
	): Promise<RenderingError> {
		const usedNames = [...new Set(this.#expressions.find(value).flatMap(({ variables }) => variables))].slice(0, maxShownNames);
		const shownVariables = (await this.#evaluation.readVariables(usedNames, view)).map(
			([name, found]) => [name, summarize(found)] as const,
		);
		const summary = shownVariables.map(([name, short]) => `${name} = ${short}`).join(", ");
		return new RenderingError(
			`${message} [${place.spec_path}, line ${place.line}${summary === "" ? "" : `: ${summary}`}]`,
			{
				spec_path: place.spec_path,
				line: place.line,
				...(shownVariables.length === 0 ? {} : { seen: Object.fromEntries(shownVariables) }),
			},
			cause,
		);
	}
}

/** Returns true if the error is caused by the definition or its input, and not by the service. */
function isCausedByDefinition(error: unknown): boolean {
	return isSvcError(error) && ["SVC_INVALID", "SVC_NOT_FOUND", "SVC_FORBIDDEN", "SVC_TOO_LARGE"].includes(error.code);
}

function isTruthy(value: JsonValue): boolean {
	if (isArray(value)) return value.length > 0;
	return isJsonObject(value) ? Object.keys(value).length > 0 : Boolean(value);
}

/** Summarizes a value. A string is never shortened, because a part of a secret could not be masked. */
function summarize(value: JsonValue | undefined): string {
	if (value === undefined) return "undefined";
	if (typeof value === "string") return value.length <= maxShownCharacters ? stringifyJson(value) : `text of ${value.length} characters`;
	if (isArray(value)) return `list of ${value.length}`;
	if (!isJsonObject(value)) return String(value);
	const names = Object.keys(value);
	return `object with ${names.slice(0, maxShownNames).join(", ")}${names.length > maxShownNames ? " …" : ""}`.slice(
		0,
		4 * maxShownCharacters,
	);
}
