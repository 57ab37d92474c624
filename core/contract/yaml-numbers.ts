import { toWholeNumber } from "./json.ts";

/** The part of a tag of the package `yaml` that counts here. */
interface NumberTag {
	readonly tag: string;
	resolve?: (text: string, onError: (message: string) => void, options: Readonly<Record<string, unknown>>) => unknown;
}

const maxDigits = 1_000;

/**
 * Tags for the option `customTags` of the package `yaml` with which numbers are read as `parseJson` reads them: whole numbers exactly, as a
 * `bigint` beyond `Number.MAX_SAFE_INTEGER`. Numbers that JSON cannot represent, such as `1e400` and `.inf`, are errors of the document.
 */
export function exactNumberTags<T>(tags: readonly T[]): T[] {
	return tags.map((tag) => (isNumberTag(tag) ? withExactNumbers(tag) : tag));
}

function isNumberTag(tag: unknown): tag is NumberTag {
	const { tag: name } = tag as Partial<NumberTag>;
	return name === "tag:yaml.org,2002:int" || name === "tag:yaml.org,2002:float";
}

function withExactNumbers<T extends NumberTag>(tag: T): T {
	const resolve: NonNullable<NumberTag["resolve"]> = (text, onError, options) => {
		if (text.length > maxDigits + 100) return refuse(text, onError);
		const value = tag.resolve?.(text, onError, { ...options, intAsBigInt: true });
		if (typeof value === "bigint") return String(value).length > maxDigits + 1 ? refuse(text, onError) : toWholeNumber(value);
		const number = typeof value === "object" && value !== null ? Number((value as { readonly value?: unknown }).value) : value;
		return typeof number === "number" && !Number.isFinite(number) ? refuse(text, onError) : value;
	};
	return { ...tag, resolve };
}

function refuse(text: string, onError: (message: string) => void): string {
	onError(`the number ${text.length > 40 ? `${text.slice(0, 40)}…` : text} cannot be represented in JSON`);
	return text;
}
