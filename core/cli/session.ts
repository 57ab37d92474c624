import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { Agent, request as requestHttps } from "node:https";
import { Readable } from "node:stream";
import { rootCertificates } from "node:tls";
import { type ApiClient, createApi } from "../client/api-client.ts";
import { requestToken } from "../client/password-sign-in.ts";
import { isSvcError, stringifyJson } from "../contract/index.ts";
import { type CliContext, CliExit } from "./context.ts";
import { toRefusedSignIn } from "./failure.ts";
import { toFileProblem } from "./read-file.ts";
import { type GlobalOptions, resolveSettings, type Settings } from "./settings.ts";
import { readCachedToken, writeCachedToken } from "./token-cache.ts";

export interface CredentialOptions {
	readonly token?: string;
	readonly apiKey?: string;
}

/**
 * Returns an API client with the credential from the options, the environment, the token cache or the configuration file. If the
 * configuration file has a user name and a password, signs in and caches the token, unless `signIn` is false.
 */
export async function openSession(
	options: GlobalOptions & CredentialOptions,
	context: CliContext,
	{ signIn = true }: { readonly signIn?: boolean } = {},
): Promise<ApiClient> {
	const settings = resolveSettings(options, context.env);
	if (options.token !== undefined && options.apiKey !== undefined) throw new CliExit(2, "--token and --api-key: set only one of them");
	// A credential on the command line replaces both credentials of the environment, so that no request carries two.
	const explicit = options.token !== undefined || options.apiKey !== undefined ? options : settings;
	if (explicit.token !== undefined) return connect(settings, context, { token: explicit.token });
	if (explicit.apiKey !== undefined) return connect(settings, context, { apiKey: explicit.apiKey });
	return connect(settings, context, { token: await automaticToken(signIn ? settings : { ...settings, password: undefined }, context) });
}

/** Returns an API client with a credential, or without one for signing in. */
export function connect(
	settings: Settings,
	context: CliContext,
	credential: { token?: string | undefined; apiKey?: string } = {},
): ApiClient {
	const onRequest = (method: string, url: string, body: unknown) => {
		const data = body === undefined ? "" : ` -H 'Content-Type: application/json' -d '${stringifyJson(body).replaceAll("'", "'\\''")}'`;
		context.stderr.write(`# curl -X ${method} -H 'X-Auth-Token: …'${data} '${url}'\n`);
	};
	const warned = new Set<string>();
	const onWarning = (text: string) => {
		// Every page of a list carries the same warning; print it once.
		if (!warned.has(text)) context.stderr.write(`warning: ${text}\n`);
		warned.add(text);
	};
	const fetch = settings.ca === undefined ? undefined : createTrustingFetch(settings.ca);
	return createApi({ ...settings.addresses, ...credential, onWarning, fetch, ...(settings.debug ? { onRequest } : {}) });
}

/** Returns a `fetch` that trusts the authorities in a file besides those of Node.js. Exits with 2 if the file has no certificates. */
function createTrustingFetch(file: string): typeof fetch {
	let ca: string;
	try {
		ca = readFileSync(file, "utf8");
	} catch (error) {
		throw new CliExit(2, `--ca: ${toFileProblem(file, error)}`);
	}
	if (!ca.includes("-----BEGIN CERTIFICATE-----")) throw new CliExit(2, `--ca: file "${file}" must contain certificates in PEM format`);
	const agent = new Agent({ ca: [...rootCertificates, ca], keepAlive: true });
	return (input, init = {}) => {
		const url = new URL(input instanceof Request ? input.url : input);
		return url.protocol === "https:" ? fetchWith(agent, url, init) : fetch(url, init);
	};
}

/** Sends a request over HTTPS. The `fetch` of Node.js takes its authorities only from the environment, at the start of the process. */
function fetchWith(agent: Agent, url: URL, { method = "GET", headers, body, signal }: RequestInit): Promise<Response> {
	const options = { agent, method, headers: Object.fromEntries(new Headers(headers)), ...(signal && { signal }) };
	return new Promise((resolve, reject) => {
		const sent = requestHttps(url, options, (answer) => {
			try {
				resolve(toResponse(url, answer));
			} catch (error) {
				// `Response` accepts fewer statuses than HTTP has. An error that is thrown in this callback would end the process.
				answer.destroy();
				reject(error);
			}
		});
		sent.on("error", reject);
		sent.end(body ?? undefined);
	});
}

/** Statuses of responses without a body, for which `Response` refuses one. */
const statusesWithoutBody: readonly number[] = [204, 205, 304];

function toResponse(url: URL, answer: IncomingMessage): Response {
	const { statusCode: status = 0 } = answer;
	const headers = Object.entries(answer.headers).filter((entry): entry is [string, string] => typeof entry[1] === "string");
	if (statusesWithoutBody.includes(status)) answer.resume();
	const content = statusesWithoutBody.includes(status) ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>);
	return Object.defineProperty(new Response(content, { status, headers }), "url", { value: url.href });
}

async function automaticToken(settings: Settings, context: CliContext): Promise<string | undefined> {
	const { username, password } = settings;
	if (username === undefined) return undefined;
	const cached = readCachedToken(settings.directory, username);
	if (cached !== undefined || password === undefined) return cached;
	try {
		const { token, expiry } = await requestToken(connect(settings, context), { username, password });
		if (settings.cacheToken) writeCachedToken(settings.directory, username, token, expiry);
		return token;
	} catch (error) {
		// The API may be reachable even if the authentication component is not. It then reports that the credential is missing.
		if (isSvcError(error, "SVC_UNAVAILABLE")) return undefined;
		if (isSvcError(error, "SVC_UNAUTHORIZED")) {
			throw new CliExit(
				1,
				`${toRefusedSignIn(username, error)}; sign in with \`svc login ${username}\`, or correct ${settings.configFile}`,
			);
		}
		throw error;
	}
}
