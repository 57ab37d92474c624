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
import { isArray } from "./value-scan.ts";

/** Something in a definition cannot be made a value of. */
export class RenderingError extends Error {
	override readonly name = "RenderingError";
	/** For the entry in `errors`. */
	readonly data: JsonObject;

	constructor(message: string, data: JsonObject, cause?: unknown) {
		super(message, { cause });
		this.data = data;
	}
}

const mostSeen = 10;
const longestSeen = 80;
const mostSeconds = 10 * 366 * 86_400;

/** Evaluates what stands at a place of the definition. Errors say where that is, and what the expression saw. */
export class Renderer {
	readonly #expressions: Expressions;
	readonly #evaluation: Evaluation;

	constructor(expressions: Expressions, evaluation: Evaluation) {
		this.#expressions = expressions;
		this.#evaluation = evaluation;
	}

	/** Rejects with a `RenderingError`; with `SVC_UNAVAILABLE` while what is read cannot be reached. */
	async render(value: JsonValue, view: ExpressionView, place: SourceLocation): Promise<JsonValue> {
		try {
			return await this.#evaluation.evaluate(value, view);
		} catch (error) {
			if (!isRenderingFault(error)) throw error;
			const expression = isSvcError(error) && typeof error.facts["expression"] === "string" ? error.facts["expression"] : undefined;
			throw await this.#toError(toErrorMessage(error), { value: expression ?? value, view, place, cause: error });
		}
	}

	/** Whether a criterion holds. Text without an expression does. */
	async evaluateCondition(when: string, view: ExpressionView, place: SourceLocation): Promise<boolean> {
		if (this.#expressions.find(when).length === 0) return true;
		return isTruthy(await this.render(when, view, place));
	}

	/** A whole number, 0 or more. */
	async renderCount(timing: Timing, what: string, view: ExpressionView): Promise<number> {
		return this.#number(timing, { what, view, isAllowed: Number.isSafeInteger, wanted: "integer" });
	}

	/** Seconds, perhaps with a fraction. */
	async renderSeconds(timing: Timing, what: string, view: ExpressionView): Promise<number> {
		return this.#number(timing, { what, view, isAllowed: Number.isFinite, wanted: "number" });
	}

	/** A value that is not what its place asks for. */
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
		if (value < 0 || value > mostSeconds) {
			throw await this.createError(`ValueError: The value of ${what} is not between 0 and ${mostSeconds}.`, timing.value, view, timing);
		}
		return value;
	}

	async #toError(
		message: string,
		{ value, view, place, cause }: { value: JsonValue; view: ExpressionView; place: SourceLocation; cause: unknown },
	): Promise<RenderingError> {
		const names = [...new Set(this.#expressions.find(value).flatMap(({ variables }) => variables))].slice(0, mostSeen);
		const seen = (await this.#evaluation.readVariables(names, view)).map(([name, found]) => [name, toShort(found)] as const);
		const saw = seen.map(([name, short]) => `${name} = ${short}`).join(", ");
		return new RenderingError(
			`${message} [${place.spec_path}, line ${place.line}${saw === "" ? "" : `: ${saw}`}]`,
			{ spec_path: place.spec_path, line: place.line, ...(seen.length === 0 ? {} : { seen: Object.fromEntries(seen) }) },
			cause,
		);
	}
}

/** Whether it is the definition, or what it is given, that is at fault. */
function isRenderingFault(error: unknown): boolean {
	return isSvcError(error) && ["SVC_INVALID", "SVC_NOT_FOUND", "SVC_FORBIDDEN", "SVC_TOO_LARGE"].includes(error.code);
}

function isTruthy(value: JsonValue): boolean {
	if (isArray(value)) return value.length > 0;
	return isJsonObject(value) ? Object.keys(value).length > 0 : Boolean(value);
}

/** A text is never cut: what is left of a secret could not be hidden. */
function toShort(value: JsonValue | undefined): string {
	if (value === undefined) return "undefined";
	if (typeof value === "string") return value.length <= longestSeen ? stringifyJson(value) : `text of ${value.length} characters`;
	if (isArray(value)) return `list of ${value.length}`;
	if (!isJsonObject(value)) return String(value);
	const names = Object.keys(value);
	return `object with ${names.slice(0, mostSeen).join(", ")}${names.length > mostSeen ? " …" : ""}`.slice(0, 4 * longestSeen);
}
