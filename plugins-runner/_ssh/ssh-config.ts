import { matchesPatterns } from "./pattern.ts";

/** What a file of ssh's own format says about one host. Of each the first that applies counts, as ssh has it. */
export interface SshConfigEntry {
	readonly hostName?: string;
	readonly user?: string;
	readonly port?: number;
	readonly identityFile?: string;
	/** `host`, `user@host:port`, or several of them separated by commas. */
	readonly proxyJump?: string;
}

const keywords = { hostname: "hostName", user: "user", port: "port", identityfile: "identityFile", proxyjump: "proxyJump" } as const;

/** Look a host up. `Match` blocks never apply and `Include` is not followed; every other keyword is passed over. */
export function findInSshConfig(text: string, host: string): SshConfigEntry {
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
