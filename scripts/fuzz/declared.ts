import { type ApiDocument, toDocument } from "../../core/http/openapi/document.ts";
import { toDocumentedPath } from "../../core/http/openapi/operation.ts";
import type { Route } from "../../core/http/route.ts";
import { DeclaredAnswers } from "../../core/testing/http/declared-answers.test-support.ts";
import { routes } from "../../plugins/_shipped/routes.ts";
import type { Problem } from "./judge.ts";
import type { FuzzRequest } from "./make-request.ts";
import type { Answer } from "./send.ts";

type Schema = Readonly<Record<string, unknown>>;

/** What the service says of itself: requests are made of it, and answers are compared with it. */
export const description = toDocument(routes, "0.0.0");

/** What the connection answers before anybody looks at the path: late, with miracles expected, or too long. */
const ofConnection: ReadonlySet<number> = new Set([408, 417, 431]);

/** The schema of a route's body, as the description has it, with what it refers to in its place. */
export function bodySchemaOf(route: Route, { paths, components }: ApiDocument = description): Schema {
	const operation = paths[toDocumentedPath(route)]?.[route.method.toLowerCase()] as
		| { readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> } }
		| undefined;
	const resolve = (value: unknown): unknown => {
		if (typeof value !== "object" || value === null) return value;
		if (Array.isArray(value)) return value.map(resolve);
		const { $ref } = value as Schema;
		if (typeof $ref === "string") return resolve(components.schemas[$ref.split("/").at(-1) ?? ""] ?? {});
		return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, resolve(inner)]));
	};
	return resolve(operation?.requestBody?.content["application/json"]?.schema ?? { type: "object" }) as Schema;
}

/** Compares answers with a description. */
export class DeclaredJudge {
	readonly #document: ApiDocument;
	readonly #declared: DeclaredAnswers;
	readonly #paths: readonly (readonly [path: string, pattern: RegExp])[];

	constructor(document: ApiDocument = description) {
		this.#document = document;
		this.#declared = new DeclaredAnswers(document);
		// What is spelled out stands before what varies, as in the router.
		const paths = Object.keys(document.paths).sort((a, b) => countVariables(a) - countVariables(b));
		this.#paths = paths.map((path) => [path, toPattern(path)]);
	}

	/** A status, a content type or a body that is not declared, a method that is not declared and not refused, a missing 401. */
	judge({ method, path, caller }: FuzzRequest, { status = 0, text, headers = {} }: Answer): Problem | undefined {
		const [name = ""] = path.split("?");
		// Where it depends on who reads it which path this is, other judges look at the answer.
		if (method === "OPTIONS" || ofConnection.has(status) || /\/\/|\/\.|%(?![2-7][0-9A-Fa-f])|[^\x21-\x7e]/.test(name)) return undefined;
		const documented = this.#documentedPath(name, method);
		if (documented === undefined) return undefined;
		const isStream = headers["content-type"]?.startsWith("text/event-stream") === true;
		const detail = this.#findProblem({
			...{ method, path: documented, status, headers },
			// Streams are left in the middle of an event, and an answer to HEAD has no body.
			text: isStream || method === "HEAD" ? undefined : text,
			isSelected: /[?&](?:in|ex)clude_attributes=[^&]/.test(path),
			hasCredential: caller !== "nobody" && caller !== "stranger",
		});
		return detail === undefined || (status === 400 && detail.includes("has to be 405")) ? undefined : { kind: "undeclared", detail };
	}

	/** The first that takes the method, as in the router; the first of all where none does. */
	#documentedPath(name: string, method: string): string | undefined {
		const paths = this.#paths.filter(([, pattern]) => pattern.test(name)).map(([path]) => path);
		return paths.find((path) => this.#document.paths[path]?.[method.toLowerCase()] !== undefined) ?? paths[0];
	}

	#findProblem(exchange: Parameters<DeclaredAnswers["findProblem"]>[0]): string | undefined {
		try {
			return this.#declared.findProblem(exchange);
		} catch (error) {
			// What is deeper than the stack of the validator cannot be looked at.
			if (error instanceof RangeError) return undefined;
			throw error;
		}
	}
}

function countVariables(path: string): number {
	return path.split("{").length;
}

function toPattern(path: string): RegExp {
	const source = path
		.replace(/[.]/g, "\\.")
		.replace("{url}", ".+")
		.replace(/\{\w+\}/g, "[^/]+");
	return new RegExp(`^${source}/?$`);
}
