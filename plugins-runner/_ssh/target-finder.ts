import { readFile } from "node:fs/promises";
import { type Options, type ParameterValues, SvcError } from "../../core/contract/index.ts";
import { type NamedHost, parseHost } from "./host-list.ts";
import { matchesPatterns } from "./host-pattern.ts";
import { fromPkcs8 } from "./pkcs8.ts";
import type { remoteParameterSchema } from "./remote-parameter-schema.ts";
import { expandHome } from "./shared-pool.ts";
import type { Ssh2 } from "./ssh2-package.ts";
import type { Target } from "./target.ts";

type Parameters = ParameterValues<typeof remoteParameterSchema>;

interface Sources {
	readonly ssh2: Ssh2;
	readonly options: Pick<Options, "ssh_runner" | "system_user">;
	readonly parameters: Parameters;
}

/** Determines the targets of an action. Parameters override the SSH configuration, and that overrides the options of the service. */
export interface TargetFinder {
	find(host: NamedHost): Promise<Target>;
}

/** Maximum number of jump hosts for one connection. */
const maxJumpHosts = 8;

export async function createTargetFinder(sources: Sources): Promise<TargetFinder> {
	const { options, parameters } = sources;
	const { use_ssh_config: isUsed, ssh_config_file_path: path } = options.ssh_runner;
	const config = isUsed ? await readConfig(expandHome(path)) : "";
	if (parameters.passphrase && !parameters.private_key && !options.system_user.ssh_key_file && !isUsed)
		throw new SvcError("SVC_INVALID", 'parameter "passphrase" requires a private key');

	async function find(host: NamedHost): Promise<Target> {
		const entry = findInSshConfig(config, host.host);
		const target = await createTarget(sources, host, entry);
		const { bastion_host: bastion } = parameters;
		const via = bastion ? await findHops(bastion, "bastion_host") : await findWay(entry, []);
		return via === undefined ? target : { ...target, via };
	}

	/** Returns the last jump host of a `ProxyJump` entry, with its own jump hosts; undefined if there is none. */
	async function findWay({ proxyJump }: SshConfigEntry, before: readonly string[]): Promise<Target | undefined> {
		if (proxyJump === undefined || proxyJump.toLowerCase() === "none") return undefined;
		if (before.length >= maxJumpHosts) throw new SvcError("SVC_RUNNER", `ProxyJump goes through too many hosts: ${before.join(", ")}`);
		return findHops(proxyJump, "ProxyJump", before);
	}

	/** Parses a comma-separated list of jump hosts and returns the last one, linked to the preceding hosts. */
	async function findHops(text: string, parameter: string, before?: readonly string[]): Promise<Target | undefined> {
		const hops = text.split(",").map((hop) => parseHost(hop.trim(), parameter));
		if (hops.length > maxJumpHosts)
			throw new SvcError("SVC_INVALID", `parameter "${parameter}": at most ${maxJumpHosts} hosts are allowed`);
		let way: Target | undefined;
		for (const [index, { host: name, port, user }] of hops.entries()) {
			const entry = findInSshConfig(config, name);
			const target = await createTarget(sources, { key: name, host: name, port, user }, entry);
			const via: Target | undefined = index === 0 && before !== undefined ? await findWay(entry, [...before, name]) : way;
			way = via === undefined ? target : { ...target, via };
		}
		return way;
	}

	return { find };
}

async function createTarget(sources: Sources, host: NamedHost, entry: SshConfigEntry): Promise<Target> {
	const { options, parameters } = sources;
	return {
		name: host.key,
		address: entry.hostName ?? host.host,
		port: host.port ?? parameters.port ?? entry.port ?? 22,
		username: host.user ?? (parameters.username || entry.user || options.system_user.user),
		...(await findCredentials(sources, entry)),
	};
}

type Credentials = Pick<Target, "password" | "privateKey" | "passphrase" | "agent">;

async function findCredentials({ ssh2, options, parameters }: Sources, entry: SshConfigEntry): Promise<Credentials> {
	const { password, passphrase } = parameters;
	if (password) return { password };
	const given = parameters.private_key || undefined;
	const file = given ?? entry.identityFile ?? (options.system_user.ssh_key_file || undefined);
	if (file !== undefined) {
		const text = given !== undefined && /PRIVATE KEY-----/i.test(given) ? toKeyText(given) : await readKey(expandHome(file));
		const key = fromPkcs8(text, passphrase || undefined) ?? { privateKey: text, ...(passphrase ? { passphrase } : {}) };
		assertUsable(ssh2, key.privateKey, key.passphrase);
		return key;
	}
	const agent = process.env["SSH_AUTH_SOCK"];
	return options.ssh_runner.use_agent && agent ? { agent } : {};
}

/** Normalizes a key: forms and templates remove the final newline, escape newlines as `\n`, or indent the lines. */
function toKeyText(text: string): string {
	const lines = (text.includes("\n") ? text : text.replaceAll("\\n", "\n")).trim().split("\n");
	return `${lines.map((line) => line.trim()).join("\n")}\n`;
}

async function readKey(path: string): Promise<string> {
	try {
		return await readFile(path, "utf8");
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		// The value may be a damaged key instead of a path, so the message must not contain it.
		throw new SvcError("SVC_INVALID", `parameter "private_key" is neither a private key nor the path of a readable file (${code})`);
	}
}

function assertUsable({ utils }: Ssh2, privateKey: string, passphrase: string | undefined): void {
	const parsed = utils.parseKey(privateKey, passphrase);
	if (!(parsed instanceof Error)) return;
	if (!/encrypted|integrity|decrypt|passphrase|checksum/i.test(parsed.message))
		throw new SvcError("SVC_INVALID", 'parameter "private_key" is not a private key in a supported format');
	const problem =
		passphrase === undefined
			? '"passphrase" is required, because the private key is encrypted'
			: '"passphrase" does not match the private key';
	throw new SvcError("SVC_INVALID", `parameter ${problem}`);
}

async function readConfig(path: string): Promise<string> {
	return readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
		if (error.code === "ENOENT") return "";
		throw new SvcError("SVC_RUNNER", `"ssh_runner.ssh_config_file_path": ${path} cannot be read: ${error.code}`, { cause: error });
	});
}

/** Settings of one host from a file in ssh's format. The first applicable value of each keyword is used, as in ssh. */
interface SshConfigEntry {
	readonly hostName?: string;
	readonly user?: string;
	readonly port?: number;
	readonly identityFile?: string;
	/** `host`, `user@host:port`, or a comma-separated list of them. */
	readonly proxyJump?: string;
}

const keywords = { hostname: "hostName", user: "user", port: "port", identityfile: "identityFile", proxyjump: "proxyJump" } as const;

/** Finds the settings of a host. `Match` blocks never apply, `Include` is not followed, and unsupported keywords are ignored. */
function findInSshConfig(text: string, host: string): SshConfigEntry {
	const found: Record<string, string> = {};
	let applies = true;
	for (const line of text.split(/\r?\n/)) {
		const [, word = "", rest = ""] = /^\s*([A-Za-z]+)(?:\s*=\s*|\s+)(.*?)\s*$/.exec(line) ?? [];
		const keyword = word.toLowerCase();
		if (keyword === "match") applies = false;
		else if (keyword === "host") applies = matchesPatterns(rest.split(/\s+/).map(unquote), host);
		else if (applies && Object.hasOwn(keywords, keyword)) found[keywords[keyword as keyof typeof keywords]] ??= unquote(rest);
	}
	return toEntry(found, host);
}

function toEntry({ port, hostName, identityFile, ...rest }: Readonly<Record<string, string>>, host: string): SshConfigEntry {
	const number = Number(port);
	return {
		...rest,
		...(hostName === undefined ? {} : { hostName: expand(hostName, { h: host }) }),
		...(Number.isInteger(number) && number > 0 && number < 65_536 ? { port: number } : {}),
		...(identityFile === undefined || identityFile === "none" ? {} : { identityFile: expand(identityFile, { h: hostName ?? host }) }),
	};
}

function expand(text: string, tokens: Readonly<Record<string, string>>): string {
	return text.replace(/%(.)/g, (whole, token: string) => (token === "%" ? "%" : (tokens[token] ?? whole)));
}

function unquote(text: string): string {
	return /^"(.*)"$/.exec(text)?.[1] ?? text;
}
