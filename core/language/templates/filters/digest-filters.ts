import { createHash } from "node:crypto";
import { toText } from "../python-text.ts";
import type { Filter } from "./filter.ts";

/** A filter that returns a digest of the text form of its input, in UTF-8, as lower-case hexadecimal digits. */
const digest =
	(algorithm: "md5" | "sha1" | "sha256" | "sha512"): Filter =>
	(input, _given, { budget }) => {
		const text = toText(input, budget);
		budget.text(text.length);
		return createHash(algorithm).update(text).digest("hex");
	};

/** Encodings and digests of texts. */
export const digestFilters: Readonly<Record<string, Filter>> = {
	b64encode: (input, _given, { budget }) => {
		const text = toText(input, budget);
		budget.text(2 * text.length);
		return Buffer.from(text).toString("base64");
	},
	b64decode: (input, given, { budget }) => {
		if (typeof input !== "string") throw given.error("needs a text in Base64");
		budget.text(input.length);
		// Without white space first: an expression that allows it in both places takes time that grows with the square of its length.
		if (!/^[\w+/-]*={0,2}$/.test(input.replace(/\s+/g, ""))) throw given.error("needs a text in Base64");
		try {
			return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(input, "base64"));
		} catch {
			throw given.error("needs a text in Base64 that holds UTF-8");
		}
	},
	md5: digest("md5"),
	sha1: digest("sha1"),
	sha256: digest("sha256"),
	sha512: digest("sha512"),
};
