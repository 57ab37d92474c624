import { type Options, toErrorMessage } from "../../contract/index.ts";
import { createTrustedProxies } from "../../features/access/trusted-proxies-api.ts";

const shortestSecret = 16;

/** What is wrong with the options of the proxy in front. */
export function findProxyProblems({ auth }: Options): string[] {
	const problems: string[] = [];
	if (auth.enable && auth.mode === "proxy" && auth.trusted_proxies.length === 0) {
		problems.push(
			'auth.trusted_proxies: must be set in proxy mode, as whoever asks from there can be anybody; hint: the address of the proxy alone, such as ["10.0.0.5"]',
		);
	}
	if (auth.proxy_secret !== "" && auth.proxy_secret.length < shortestSecret) {
		problems.push(`auth.proxy_secret: it is shorter than ${shortestSecret} characters, and could be guessed; hint: openssl rand -hex 32`);
	}
	return [...problems, ...findEntryProblems(auth.trusted_proxies)];
}

function findEntryProblems(entries: readonly string[]): string[] {
	try {
		createTrustedProxies(entries);
		return [];
	} catch (error) {
		return [toErrorMessage(error)];
	}
}

/** What works, and trusts more than the proxy. */
export function findProxyWarnings({ auth }: Options): string[] {
	if (!auth.enable || auth.mode !== "proxy" || auth.proxy_secret !== "") return [];
	const isTrusted = createTrustedProxies(auth.trusted_proxies);
	if (!isTrusted("127.0.0.1") && !isTrusted("::1")) return [];
	return [
		"auth.trusted_proxies: in proxy mode every program on this machine can sign in as anybody; hint: auth.proxy_secret, which the proxy sends in the header Svc-Proxy-Secret",
	];
}
