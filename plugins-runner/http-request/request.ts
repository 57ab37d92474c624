import { type JsonObject, type JsonValue, type ParameterValues, SvcError, stringifyJson } from "../../core/contract/index.ts";
import type { httpParameters } from "./parameters.ts";
import { encodeBody } from "./request-body.ts";

/** One request as it is sent. Header names are in lower case. */
export interface HttpRequest {
	readonly method: string;
	readonly url: URL;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: Buffer | FormData | undefined;
}

export interface RequestInput {
	readonly runnerParameters: ParameterValues<typeof httpParameters>;
	readonly actionParameters: JsonObject;
	readonly actionRef: string;
	readonly fileRoots: readonly string[];
	/** Trace context of the run; a header of the action overrides it. */
	readonly traceparent?: string | undefined;
}

const methods = ["HEAD", "GET", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "PURGE"];

/** Returns the first request of a run. Error messages contain the names of parameters but never their values, which may be secrets. */
export async function createRequest({
	runnerParameters,
	actionParameters,
	actionRef,
	fileRoots,
	traceparent,
}: RequestInput): Promise<HttpRequest> {
	const { url, credentials } = toUrl(runnerParameters.url, actionParameters["params"]);
	const headers = toHeaders(runnerParameters.headers);
	const encoded = await encodeBody({
		body: actionParameters["body"],
		fileName: toText("file_name", actionParameters["file_name"]),
		fileContent: toText("file_content", actionParameters["file_content"]),
		filePath: toText("svc_file_path", actionParameters["svc_file_path"]),
		fileContentType: toText("file_content_type", actionParameters["file_content_type"]),
		fileRoots,
		contentType: headers["content-type"],
	});
	const body = encoded?.content;
	if (encoded?.contentType !== undefined) headers["content-type"] = encoded.contentType;
	// The form provides its own header, which contains the boundary.
	if (body instanceof FormData) delete headers["content-type"];
	// The length is computed from the body that is sent; a value of the caller could be wrong.
	delete headers["content-length"];
	headers["user-agent"] ??= "svc";
	headers["accept"] ??= "*/*";
	headers["accept-encoding"] ??= "gzip, deflate";
	headers["x-svc-action"] = actionRef;
	if (traceparent !== undefined) headers["traceparent"] ??= traceparent;
	const authorization = toAuthorization(runnerParameters, actionParameters["auth"]) ?? credentials;
	if (authorization !== undefined) headers["authorization"] = authorization;
	const cookies = toCookies(runnerParameters.cookies);
	if (cookies !== "") headers["cookie"] = headers["cookie"] === undefined ? cookies : `${headers["cookie"]}; ${cookies}`;
	return { method: toMethod(actionParameters["method"], body !== undefined), url, headers, body };
}

/** Returns `Basic` credentials for a header. */
export function toBasic(username: string, password: string): string {
	return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

function toMethod(given: JsonValue | undefined, hasBody: boolean): string {
	const method = (toText("method", given) ?? (hasBody ? "POST" : "GET")).toUpperCase();
	if (!methods.includes(method)) throw new SvcError("SVC_RUNNER", `method: must be one of ${methods.join(", ")}`);
	return method;
}

/** Parses the URL and removes credentials from it; returns both. */
function toUrl(text: string, query: JsonValue | undefined): { readonly url: URL; readonly credentials?: string } {
	const url = URL.canParse(text) ? new URL(text) : undefined;
	if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
		throw new SvcError("SVC_RUNNER", "url: must be a URL that begins with http:// or https://");
	}
	for (const [name, value] of Object.entries(toObject("params", query))) {
		for (const item of [value].flat()) if (item !== null) url.searchParams.append(name, toWord(item as JsonValue));
	}
	if (url.username === "" && url.password === "") return { url };
	const credentials = toBasic(decodeURIComponent(url.username), decodeURIComponent(url.password));
	url.username = "";
	url.password = "";
	return { url, credentials };
}

function toHeaders(given: JsonObject | undefined): Record<string, string> {
	const headers: Record<string, string> = Object.create(null);
	for (const [name, value] of Object.entries(given ?? {})) if (value !== null) headers[name.toLowerCase()] = toWord(value);
	return headers;
}

function toCookies(given: JsonObject | undefined): string {
	return Object.entries(given ?? {})
		.filter(([, value]) => value !== null)
		.map(([name, value]) => {
			const text = toWord(value);
			if (/[;\s=]/.test(name) || /[;\r\n]/.test(text))
				throw new SvcError("SVC_RUNNER", `cookies: name or value of "${name}" contains a character that is not allowed in cookies`);
			return `${name}=${text}`;
		})
		.join("; ");
}

/**
 * Returns the header `Authorization`. It is built from `username` and `password`, or from `auth`: `{username, password}`, `{token}`, or a
 * list of user and password.
 */
function toAuthorization(
	{ username, password }: Pick<RequestInput["runnerParameters"], "username" | "password">,
	auth: JsonValue | undefined,
): string | undefined {
	if (username || password) return toBasic(username ?? "", password ?? "");
	if (auth === undefined || auth === null || auth === "") return undefined;
	if (Array.isArray(auth) && auth.length === 2) return toBasic(toWord(auth[0]), toWord(auth[1]));
	if (typeof auth === "object" && !Array.isArray(auth)) {
		const { username: user, password: secret, token } = auth as JsonObject;
		if (typeof token === "string") return `Bearer ${token}`;
		if (user !== undefined || secret !== undefined) return toBasic(toWord(user ?? ""), toWord(secret ?? ""));
		if (Object.keys(auth).length === 0) return undefined;
	}
	throw new SvcError("SVC_RUNNER", "auth: must be an object with username and password, or with token");
}

function toObject(name: string, value: JsonValue | undefined): JsonObject {
	if (value === undefined || value === null || value === "") return {};
	if (typeof value === "object" && !Array.isArray(value)) return value as JsonObject;
	throw new SvcError("SVC_RUNNER", `${name}: must be an object`);
}

function toText(name: string, value: JsonValue | undefined): string | undefined {
	if (value === undefined || value === null || value === "") return undefined;
	if (typeof value === "string") return value;
	throw new SvcError("SVC_RUNNER", `${name}: must be a string`);
}

function toWord(value: JsonValue): string {
	return typeof value === "string" ? value : stringifyJson(value);
}
