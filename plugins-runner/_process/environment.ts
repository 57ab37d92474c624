const passedOn = new Set(["PATH", "HOME", "LANG", "LANGUAGE", "TZ", "USER", "LOGNAME", "SHELL", "TMPDIR"]);
const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/**
 * What processes get of the service's own environment: where things are and which language to speak, and nothing that might
 * be a secret of the service.
 */
export function createBaseEnvironment(own: Readonly<Record<string, string | undefined>> = process.env): Record<string, string> {
	const environment: Record<string, string> = { PATH: defaultPath, TERM: "dumb" };
	for (const [name, value] of Object.entries(own)) {
		if (value !== undefined && (passedOn.has(name) || name.startsWith("LC_"))) environment[name] = value;
	}
	return environment;
}
