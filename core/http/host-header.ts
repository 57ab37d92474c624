/** What would mean another thing to the proxy in front than here: no part of an address but name and port. */
const strange = /[^A-Za-z0-9._~:[\]%!$&'()*+;=-]/;

/** What is wrong with the `Host` of a request, or undefined. Names nothing of it: it comes from anybody. */
export function findHostProblem(hosts: readonly string[], { isNeeded }: { readonly isNeeded: boolean }): string | undefined {
	if (hosts.length > 1) return "header Host: given more than once";
	const [host] = hosts;
	if (host === undefined) return isNeeded ? "header Host: is missing" : undefined;
	return strange.test(host) ? "header Host: it is no host" : undefined;
}

/** Every `Host` of a request as it came: `headers` of Node keeps the first alone. */
export function toHosts(rawHeaders: readonly string[]): string[] {
	return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === "host");
}
