import type { JsonObject, JsonValue } from "../contract/index.ts";
import { secretMask } from "../contract/secret-mask.ts";
import { MultiPatternSearch } from "../lib/text-search/multi-pattern-search.ts";
import { maskRanges } from "./mask-ranges.ts";
import { isLongEnough, toEncodings, toPlainEncodings } from "./secret-encodings.ts";

/** Characters, of the values and of all their forms, beyond which everything is masked instead of being looked through. */
const most = { values: 65_536, forms: 131_072 };
/** Deeper values are masked whole where they are shown: nothing that deep passes the checks at the border. What is kept is looked through further. */
const deepest = { shown: 100, kept: 2_000 };
/** A text that ends with so many characters of a secret was cut there. */
const shortestBeginning = 8;
/** The token of a run is longer, in all its forms, unless whoever gives it makes shorter ones. */
const shortestMarked = 32;

export interface RedactorOptions {
	/** The token of a run: in the ranges of `marked` besides. */
	readonly token?: string | undefined;
	readonly isUnknown?: boolean;
	/** Whether too many count as unknown. Default true. */
	readonly isBounded?: boolean;
}

/**
 * Values that are secret, and the way to take them out of whatever is shown. What it cannot judge it masks: too many values to look
 * for, or a list of them that cannot be read (`unknown`).
 */
export class Redactor {
	static readonly none = new Redactor([]);
	/** Something is secret, and it cannot be told what. */
	static readonly unknown = new Redactor([], { isUnknown: true });

	readonly values: readonly string[];
	/** The token of a run. */
	readonly token: string | undefined;
	readonly #isBounded: boolean;
	#isUnknown: boolean;
	#matcher: MultiPatternSearch | undefined;

	constructor(values: Iterable<string>, { token, isUnknown = false, isBounded = true }: RedactorOptions = {}) {
		this.values = [...new Set(values)].filter((value) => isLongEnough(value) && value !== secretMask);
		this.token = token;
		this.#isBounded = isBounded;
		this.#isUnknown = isUnknown || (isBounded && lengthOf(this.values) > most.values);
	}

	/** Whether there is nothing to look for. */
	get isEmpty(): boolean {
		return this.values.length === 0 && this.token === undefined && !this.#isUnknown;
	}

	/** Whether texts are masked whole. */
	get isUnknown(): boolean {
		if (!this.#isUnknown) this.#prepare();
		return this.#isUnknown;
	}

	/**
	 * Whether nothing is in a text that begins within nothing, and nothing begins at its end, as far as that shows without a search: a short
	 * line where only the token is looked for, which is longer and has no line end. What is needed for a search costs as much as a small run.
	 */
	cannotContainSecret(text: string): boolean {
		if (text.length >= this.#shortestMarked || this.values.length > 0 || this.#isUnknown) return false;
		return text.endsWith("\n") && this.token?.includes("\n") !== true;
	}

	/** What looks for them; for the token only where everything is masked. */
	get search(): MultiPatternSearch {
		return this.#matcher ?? this.#prepare();
	}

	/** These and others; the same object when they are known already. */
	withValues(values: readonly string[], token = this.token): Redactor {
		const added = values.filter((value) => isLongEnough(value) && value !== secretMask && !this.values.includes(value));
		if (added.length === 0 && token === this.token) return this;
		return new Redactor([...this.values, ...added], { token, isUnknown: this.#isUnknown });
	}

	/** These and those of another; the same object when they are known already. */
	union({ values, isUnknown }: Redactor): Redactor {
		const known = this.withValues(values);
		return isUnknown && !known.isUnknown ? new Redactor(known.values, { token: this.token, isUnknown }) : known;
	}

	/** A text as it is shown; also without the beginning of a secret at its end. */
	redactText(text: string): string {
		if (this.isEmpty || text.length === 0) return text;
		if (this.isUnknown) return secretMask;
		const { search } = this;
		// A text that is shorter than every secret, and than the beginning of one that is masked, needs no search: a result may hold 100,000.
		if (text.length < shortestBeginning && text.length < search.minPatternLength) return text;
		const { ranges, state } = search.find(text);
		const open = search.partialMatchLength(state);
		const isCut = open >= shortestBeginning && (ranges.at(-1) ?? 0) < text.length;
		return maskRanges(isCut ? text.slice(0, text.length - open) : text, ranges) + (isCut ? secretMask : "");
	}

	/** Any value as it is shown, names of members included. The same value when nothing was found in it. */
	redactJson<T extends JsonValue | undefined>(value: T): T {
		if (this.isEmpty || value === undefined) return value;
		if (this.isUnknown) return hideAll(value) as T;
		const shortest = Math.min(this.search.minPatternLength, shortestBeginning);
		return replaceTexts(value, { replace: (text) => this.redactText(text), plainBelow: boundOf(shortest) }) as T;
	}

	/** Any value without the token, which is kept nowhere. The same value when it is not in it. */
	withoutToken<T extends JsonValue>(value: T): T {
		if (this.token === undefined) return value;
		const replace = (text: string) => (text.length < this.#shortestMarked ? text : maskRanges(text, this.search.find(text).markedRanges));
		return replaceTexts(value, { replace, plainBelow: boundOf(this.#shortestMarked) }, deepest.kept) as T;
	}

	/** An error whose message, and that of its causes, may quote what it failed at. The same one. */
	redactError<T>(error: T): T {
		let inner: unknown = error;
		for (let depth = 0; inner instanceof Error && depth < deepest.shown && !this.isEmpty; depth += 1) {
			const { stack } = inner;
			inner.message = this.redactText(inner.message);
			if (stack !== undefined) inner.stack = this.redactText(stack);
			inner = inner.cause;
		}
		return error;
	}

	/** Characters that the token has at least in any form; 0 where that cannot be said. */
	get #shortestMarked(): number {
		return this.token === undefined || this.token.length >= shortestMarked ? shortestMarked : 0;
	}

	/** Made when it is first needed: most runs print little and know nothing but their token. */
	#prepare(): MultiPatternSearch {
		if (this.#matcher !== undefined) return this.#matcher;
		const patterns = new Map<string, boolean>();
		if (!this.#isUnknown) for (const value of this.values) for (const form of toEncodings(value)) patterns.set(form, false);
		if (this.#isBounded && lengthOf(patterns.keys()) > most.forms) {
			this.#isUnknown = true;
			patterns.clear();
		}
		if (this.token !== undefined) for (const form of toPlainEncodings(this.token)) patterns.set(form, true);
		this.#matcher = new MultiPatternSearch(patterns);
		return this.#matcher;
	}
}

function lengthOf(texts: Iterable<string>): number {
	let sum = 0;
	for (const { length } of texts) sum += length;
	return sum;
}

/** What kind of thing a value is may show, and the names of the members at the top. */
function hideAll(value: JsonValue): JsonValue {
	if (typeof value !== "object" || value === null) return hide(value);
	if (Array.isArray(value)) return secretMask;
	return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, hide(member as JsonValue)]));
}

function hide(value: JsonValue): JsonValue {
	return value === null || typeof value === "boolean" ? value : secretMask;
}

interface Replacing {
	readonly replace: (text: string) => string;
	/** Whole numbers nearer to zero than this stay as they are, without being written as a text first. */
	readonly plainBelow: number;
}

/** The bound below which whole numbers, with a minus sign, are written with fewer than so many characters. */
function boundOf(characters: number): number {
	return 10 ** (characters - 2);
}

/** The value with every text replaced; a number whose digits are replaced becomes a text. The same value when nothing was. */
function replaceTexts(value: JsonValue, replacing: Replacing, levels = deepest.shown): JsonValue {
	const { replace, plainBelow } = replacing;
	if (typeof value === "string") return replace(value);
	if (typeof value === "number" && Number.isInteger(value) && Math.abs(value) < plainBelow) return value;
	if (typeof value === "number" || typeof value === "bigint") {
		const text = String(value);
		const replaced = text.length < 4 ? text : replace(text);
		return replaced === text ? value : replaced;
	}
	if (typeof value !== "object" || value === null) return value;
	if (levels < 0) return secretMask;
	if (Array.isArray(value)) {
		const copy = value.map((item: JsonValue) => replaceTexts(item, replacing, levels - 1));
		return copy.some((item, index) => item !== value[index]) ? copy : value;
	}
	return replaceMembers(value as JsonObject, replacing, levels);
}

function replaceMembers(value: JsonObject, replacing: Replacing, levels: number): JsonObject {
	let isChanged = false;
	const entries = Object.entries(value).map(([name, member]) => {
		const shown = [replacing.replace(name), replaceTexts(member, replacing, levels - 1)] as const;
		isChanged ||= shown[0] !== name || shown[1] !== member;
		return shown;
	});
	return isChanged ? Object.fromEntries(entries) : value;
}
