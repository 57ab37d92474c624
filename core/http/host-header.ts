/** Characters that are not part of a host name and port. A proxy in front of the service could interpret them differently. */
const invalidCharacter = /[^A-Za-z0-9._~:[\]%!$&'()*+;=-]/;

/**
 * Returns the problem of the `Host` headers of a request, or undefined. The message does not quote the header, because it is untrusted
 * input.
 *
 * @param isNeeded true if a missing header is a problem
 */
export function findHostProblem(hosts: readonly string[], { isNeeded }: { readonly isNeeded: boolean }): string | undefined {
	if (hosts.length > 1) return "header Host: given more than once";
	const [host] = hosts;
	if (host === undefined) return isNeeded ? "header Host: missing" : undefined;
	return invalidCharacter.test(host) ? "header Host: not a valid host" : undefined;
}

/** Returns all `Host` headers of a request. Node's `headers` contains only the first one. */
export function toHosts(rawHeaders: readonly string[]): string[] {
	return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === "host");
}
