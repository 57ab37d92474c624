import { dirname, resolve } from "node:path";
import { parse } from "yaml";
import { isJsonObject, type JsonObject, type JsonValue, SvcError } from "../../core/contract/index.ts";
import { type ClusterCredentials, readFrom } from "./cluster-credentials.ts";
import { isServer } from "./options.ts";

/** Settings of a kubeconfig that the runner refuses. Ignoring them would send requests to another server, or with another identity. */
const refused = {
	user: {
		exec: "credential commands are not supported: give the user a token, a tokenFile or a client certificate",
		"auth-provider": "auth providers are not supported: give the user a token, a tokenFile or a client certificate",
		username: "API servers no longer accept passwords: give the user a token, a tokenFile or a client certificate",
		password: "API servers no longer accept passwords: give the user a token, a tokenFile or a client certificate",
		as: "impersonation is not supported",
		"as-uid": "impersonation is not supported",
		"as-groups": "impersonation is not supported",
		"as-user-extra": "impersonation is not supported",
	},
	cluster: {
		"insecure-skip-tls-verify": "the certificate of the server is always verified: set certificate-authority",
		"proxy-url": "proxies are not supported",
	},
} as const;

/** Reads a `kubectl` configuration for one context. Errors quote names from the file but never other values, which may be secret. */
export async function readKubeconfig(path: string, context: string | undefined): Promise<ClusterCredentials> {
	const file = new Kubeconfig(path, await readFrom(path));
	const name = context ?? file.text(file.root, "current-context", "it");
	if (name === undefined) throw file.refuse("has no current-context: set the option context");
	const chosen = file.find("context", name);
	const [cluster, user] = (["cluster", "user"] as const).map((kind) => {
		const named = file.text(chosen, kind, `context "${name}"`);
		if (named === undefined) throw file.refuse(`names no ${kind} in context "${name}"`);
		return file.find(kind, named);
	}) as [JsonObject, JsonObject];
	const server = file.text(cluster, "server", "its cluster");
	if (server === undefined || !isServer(server))
		throw file.refuse("must have a server that begins with https:// (http:// only for 127.0.0.1)");
	const tokenFile = file.text(user, "tokenFile", "its user");
	return {
		server: new URL(server),
		namespace: file.text(chosen, "namespace", `context "${name}"`),
		ca: await file.pem(cluster, "certificate-authority"),
		certificate: await file.pem(user, "client-certificate"),
		key: await file.pem(user, "client-key"),
		serverName: file.text(cluster, "tls-server-name", "its cluster"),
		token: tokenFile === undefined ? file.text(user, "token", "its user") : (await readFrom(file.locate(tokenFile))).trim(),
	};
}

/** Parsed kubeconfig, and its path. */
class Kubeconfig {
	readonly root: JsonObject;
	readonly #path: string;

	constructor(path: string, text: string) {
		this.#path = path;
		this.root = this.#parse(text);
	}

	/** Returns the named entry. Throws `SVC_CONFIG` if it does not exist, or has a refused setting. */
	find(kind: "context" | "cluster" | "user", name: string): JsonObject {
		const entries = this.root[`${kind}s`];
		const found = (Array.isArray(entries) ? entries : []).find((entry: JsonValue) => isJsonObject(entry) && entry["name"] === name);
		const value = isJsonObject(found) ? found[kind] : undefined;
		if (!isJsonObject(value)) throw this.refuse(`has no ${kind} "${name}"`);
		for (const [member, why] of Object.entries(kind === "context" ? {} : refused[kind])) {
			if (value[member]) throw this.refuse(`sets ${member} of ${kind} "${name}": ${why}`);
		}
		return value;
	}

	text(of: JsonObject, member: string, whose: string): string | undefined {
		const value = of[member];
		if (value == null || value === "") return undefined;
		if (typeof value !== "string") throw this.refuse(`must have a string as ${member} of ${whose}`);
		return value;
	}

	/** Returns PEM data of an entry. Inline data has precedence over a file path. */
	async pem(of: JsonObject, member: string): Promise<string | undefined> {
		const [data, path] = [this.text(of, `${member}-data`, "its entry"), this.text(of, member, "its entry")];
		if (data === undefined) return path === undefined ? undefined : readFrom(this.locate(path));
		const text = Buffer.from(data, "base64").toString();
		if (!text.includes("-----BEGIN ")) throw this.refuse(`must have Base64-encoded PEM as ${member}-data`);
		return text;
	}

	/** Resolves a path relative to the directory of the kubeconfig. */
	locate(path: string): string {
		return resolve(dirname(this.#path), path);
	}

	refuse(what: string): SvcError {
		return new SvcError("SVC_CONFIG", `kubeconfig "${this.#path}" of runner "kubernetes-job" ${what}`);
	}

	#parse(text: string): JsonObject {
		let value: unknown;
		try {
			value = parse(text, { prettyErrors: false, logLevel: "error" });
		} catch {
			// The error of the parser quotes the input, which may be a token.
			throw this.refuse("is not YAML");
		}
		if (!isJsonObject(value)) throw this.refuse("must be an object with clusters, users and contexts");
		return value;
	}
}
