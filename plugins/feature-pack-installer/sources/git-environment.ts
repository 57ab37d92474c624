import { writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { readCaCertificates } from "./ca-certificates.ts";
import { findCredentials } from "./credentials-file.ts";
import type { SourceSettings, SshSettings } from "./source-settings.ts";
import { toAuthorization } from "./url-credentials.ts";

const passedOn = [
	"PATH",
	"TMPDIR",
	...["http_proxy", "https_proxy", "all_proxy", "no_proxy"].flatMap((name) => [name, name.toUpperCase()]),
	"SSL_CERT_FILE",
	"SSL_CERT_DIR",
	"GIT_SSL_CAINFO",
];
const defaultPath = "/usr/local/bin:/usr/bin:/bin";
/** A transfer slower than this number of bytes a second for this number of seconds is aborted. */
const stall = { bytes: 100, seconds: 60 };
const hostKeyChecks: Readonly<Record<string, string>> = { "accept-new": "accept-new", strict: "yes", off: "no" };

export interface GitPlace {
	/** Address without user name and password. Git would store them, and other users could see them in the process list. */
	readonly address: string;
	readonly environment: Readonly<Record<string, string>>;
}

/**
 * Returns the address and the environment variables for git. With them, git reads no configuration of the machine or its users, and never
 * prompts. Only the protocol of the address is allowed, so that a server cannot redirect to another protocol.
 *
 * @param home empty directory that replaces the user's home directory
 */
export async function createGitPlace(address: string, home: string, settings: SourceSettings): Promise<GitPlace> {
	const { url, shown, protocol } = toParts(address);
	const credentials = url === undefined ? undefined : await findCredentials(url, settings.credentialsFile);
	const config: [string, string][] = [
		["core.hooksPath", "/dev/null"],
		["core.fsmonitor", "false"],
		["credential.helper", ""],
		["gc.auto", "0"],
		["maintenance.auto", "false"],
		["submodule.recurse", "false"],
		["http.lowSpeedLimit", String(stall.bytes)],
		["http.lowSpeedTime", String(stall.seconds)],
		// Credentials for one server must not be sent to the target of a redirect.
		["http.followRedirects", credentials === undefined ? "initial" : "false"],
	];
	if (url !== undefined && credentials !== undefined)
		config.push([`http.${url.origin}/.extraHeader`, `Authorization: ${toAuthorization(credentials)}`]);
	if (settings.caFile !== "") config.push(["http.sslCAInfo", await writeAuthorities(home, settings.caFile)]);
	const own = settings.environment;
	return {
		address: shown,
		environment: {
			...Object.fromEntries(passedOn.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]]]))),
			PATH: own["PATH"] ?? defaultPath,
			HOME: home,
			LC_ALL: "C",
			GIT_CONFIG_NOSYSTEM: "1",
			GIT_CONFIG_GLOBAL: "/dev/null",
			GIT_TERMINAL_PROMPT: "0",
			GIT_ALLOW_PROTOCOL: protocol,
			GIT_NO_REPLACE_OBJECTS: "1",
			...toConfigVariables(config),
			...(protocol === "ssh" && sshVariables(settings.ssh, own)),
		},
	};
}

function toParts(address: string): { readonly url: URL | undefined; readonly shown: string; readonly protocol: string } {
	const url = address.includes("://") && URL.canParse(address) ? new URL(address) : undefined;
	if (url === undefined) return { url, shown: address, protocol: "ssh" };
	const protocol = url.protocol.slice(0, -1);
	if (protocol !== "http" && protocol !== "https") return { url: undefined, shown: address, protocol };
	const shown = new URL(url);
	shown.username = "";
	shown.password = "";
	return { url, shown: shown.href, protocol };
}

/** Returns the configuration as environment variables of git. Only processes of the same user can read them, unlike arguments. */
function toConfigVariables(config: readonly (readonly [string, string])[]): Record<string, string> {
	return Object.fromEntries([
		["GIT_CONFIG_COUNT", String(config.length)],
		...config.flatMap(([key, value], index) => [
			[`GIT_CONFIG_KEY_${index}`, key],
			[`GIT_CONFIG_VALUE_${index}`, value],
		]),
	]) as Record<string, string>;
}

async function writeAuthorities(home: string, caFile: string): Promise<string> {
	const file = join(home, "authorities.pem");
	await writeFile(file, readCaCertificates(caFile).join("\n"));
	return file;
}

function sshVariables(ssh: SshSettings, own: SourceSettings["environment"]): Record<string, string> {
	const options = [
		"BatchMode=yes",
		`ConnectTimeout=${Math.ceil(ssh.connectTimeout)}`,
		"ServerAliveInterval=15",
		"ServerAliveCountMax=4",
		`StrictHostKeyChecking=${hostKeyChecks[ssh.hostKeyCheck] ?? "yes"}`,
		`UserKnownHostsFile="${toPath(ssh.knownHosts)}"`,
		...(ssh.keyFile === "" ? [] : [`IdentityFile="${toPath(ssh.keyFile)}"`, "IdentitiesOnly=yes"]),
	];
	const words = ["ssh", "-F", ssh.configFile === "" ? "none" : toPath(ssh.configFile), ...options.flatMap((option) => ["-o", option])];
	const agent = ssh.usesAgent ? own["SSH_AUTH_SOCK"] : undefined;
	return { GIT_SSH_COMMAND: words.map(quoteForShell).join(" "), ...(agent !== undefined && { SSH_AUTH_SOCK: agent }) };
}

function toPath(path: string): string {
	return path.startsWith("~/") ? join(homedir(), path.slice(2)) : path;
}

/** Quotes a word for the shell, because git runs the command with a shell. */
function quoteForShell(word: string): string {
	return `'${word.replaceAll("'", `'\\''`)}'`;
}
