import { toCanonicalInteger } from "./json.ts";

/** The members of a tag of the package `yaml` that are used here. */
interface NumberTag {
	readonly tag: string;
	resolve?: (text: string, onError: (message: string) => void, options: Readonly<Record<string, unknown>>) => unknown;
}

const maxDigits = 1_000;

/**
 * Returns tags for the option `customTags` of the package `yaml`. With them, numbers are read exactly as `parseJson` reads them.
 *
 * Whole numbers beyond `Number.MAX_SAFE_INTEGER` become a `bigint`. A number that JSON cannot represent, such as `1e400` or `.inf`, is
 * reported as an error of the document.
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
		if (text.length > maxDigits + 100) return reportUnrepresentable(text, onError);
		const value = tag.resolve?.(text, onError, { ...options, intAsBigInt: true });
		if (typeof value === "bigint")
			return String(value).length > maxDigits + 1 ? reportUnrepresentable(text, onError) : toCanonicalInteger(value);
		const number = typeof value === "object" && value !== null ? Number((value as { readonly value?: unknown }).value) : value;
		return typeof number === "number" && !Number.isFinite(number) ? reportUnrepresentable(text, onError) : value;
	};
	return { ...tag, resolve };
}

function reportUnrepresentable(text: string, onError: (message: string) => void): string {
	onError(`the number ${text.length > 40 ? `${text.slice(0, 40)}…` : text} cannot be represented in JSON`);
	return text;
}
