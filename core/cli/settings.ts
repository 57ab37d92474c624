import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { type Addresses, resolveAddresses } from "../client/addresses.ts";
import { CliExit } from "./context.ts";
import { type IniSections, parseIni } from "./ini.ts";

/** Options for the addresses and the configuration of the command; every command accepts them. */
export interface GlobalOptions {
	readonly url?: string;
	readonly apiUrl?: string;
	readonly authUrl?: string;
	readonly streamUrl?: string;
	readonly apiVersion?: string;
	readonly cacert?: string;
	readonly configFile?: string;
	readonly skipConfig?: boolean;
	readonly debug?: boolean;
}

export interface Settings {
	readonly addresses: Addresses;
	readonly username: string | undefined;
	readonly password: string | undefined;
	readonly token: string | undefined;
	readonly apiKey: string | undefined;
	/** File with certificates (PEM) of authorities that are trusted in addition to those of Node.js. */
	readonly ca: string | undefined;
	readonly cacheToken: boolean;
	readonly debug: boolean;
	/** `~/.svc/config`, or another path that was set. */
	readonly configFile: string;
	/** Directory of the token cache. */
	readonly directory: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Resolves the settings. The command line takes precedence, then the environment, the configuration file and the defaults. */
export function resolveSettings(options: GlobalOptions, env: Environment): Settings {
	const directory = join(env["HOME"] || homedir(), ".svc");
	const configFile = options.configFile ?? env["SVC_CONFIG_FILE"] ?? join(directory, "config");
	const named = options.configFile !== undefined || Boolean(env["SVC_CONFIG_FILE"]);
	const skip = options.skipConfig === true || isYes(env["SVC_CLI_SKIP_CONFIG"]);
	const file = skip ? {} : readConfig(configFile, named);
	return {
		addresses: toAddresses(options, env, file),
		username: file["credentials"]?.["username"],
		password: file["credentials"]?.["password"],
		token: env["SVC_AUTH_TOKEN"] || undefined,
		apiKey: env["SVC_API_KEY"] || file["credentials"]?.["api_key"],
		ca: (options.cacert ?? env["SVC_CACERT"] ?? file["general"]?.["cacert"]) || undefined,
		cacheToken: isYes(file["cli"]?.["cache_token"] ?? "true"),
		debug: options.debug === true || isYes(file["cli"]?.["debug"]),
		configFile,
		directory,
	};
}

function readConfig(path: string, named: boolean): IniSections {
	if (existsSync(path)) return parseIni(readFileSync(path, "utf8"));
	if (named) throw new CliExit(2, `configuration file "${path}" does not exist; correct --config-file or SVC_CONFIG_FILE`);
	return {};
}

function toAddresses(options: GlobalOptions, env: Environment, file: IniSections): Addresses {
	const version = options.apiVersion ?? env["SVC_API_VERSION"] ?? file["general"]?.["api_version"] ?? "v1";
	const base = options.url ?? env["SVC_BASE_URL"] ?? file["general"]?.["base_url"];
	const given = {
		apiUrl: options.apiUrl ?? env["SVC_API_URL"] ?? file["api"]?.["url"] ?? (base && `${trim(base)}:9101/${version}`),
		authUrl: options.authUrl ?? env["SVC_AUTH_URL"] ?? file["auth"]?.["url"] ?? (base && `${trim(base)}:9100`),
		streamUrl: options.streamUrl ?? env["SVC_STREAM_URL"] ?? file["stream"]?.["url"] ?? (base && `${trim(base)}:9102/${version}`),
	};
	for (const [name, url] of Object.entries(given)) {
		if (url && !URL.canParse(url)) {
			throw new CliExit(2, `--${name.replace("Url", "-url")}: "${url}" must be an address such as http://127.0.0.1:9101`);
		}
	}
	const addresses = Object.entries(given).filter(([, url]) => url);
	return resolveAddresses(addresses.length === 0 ? toLocalAddresses(env) : Object.fromEntries(addresses));
}

/** Returns the addresses on this machine with the ports that the environment sets for the service. */
function toLocalAddresses(env: Environment): Partial<Addresses> {
	const ports = { apiUrl: "SVC_API_PORT", authUrl: "SVC_AUTH_PORT", streamUrl: "SVC_STREAM_PORT" } as const;
	return Object.fromEntries(
		Object.entries(ports).flatMap(([name, variable]) => {
			const port = env[variable]?.trim() ?? "";
			if (port !== "" && !(/^\d{1,5}$/.test(port) && Number(port) <= 65_535)) {
				throw new CliExit(2, `${variable}: "${port}" must be a port number, from 0 to 65535`);
			}
			// The service chooses any free port for 0.
			return Number(port) === 0 ? [] : [[name, `http://127.0.0.1:${port}`]];
		}),
	);
}

function trim(url: string): string {
	return url.replace(/\/+$/, "");
}

function isYes(word: string | undefined): boolean {
	return /^(1|true|yes|on)$/i.test(word ?? "");
}
