import type { ParameterDefinitions } from "../../core/contract/index.ts";

const hostList = { type: "array", items: { type: "string" }, default: [] } as const;

/** Parameters of the runner; the action declares the others (`method`, `body` and so on) itself. */
export const httpParameters = {
	url: { type: "string", required: true, description: "URL of the request; http or https." },
	headers: { type: "object", description: "Headers of the request." },
	cookies: { type: "object", description: "Cookies of the request by name." },
	username: { type: "string", description: "User for basic authentication." },
	password: { type: "string", secret: true, description: "Password for basic authentication." },
	allow_redirects: { type: "boolean", default: false, description: "True to follow redirects." },
	http_proxy: { type: "string", description: "URL of the proxy for http URLs." },
	https_proxy: { type: "string", description: "URL of the proxy for https URLs." },
	verify_ssl_cert: { type: "boolean", default: true, description: "True to verify the certificate of the server." },
	url_hosts_blacklist: { ...hostList, description: "Hosts to which no request may be sent, including redirects." },
	url_hosts_whitelist: { ...hostList, description: "Hosts to which requests may be sent, including redirects; all others are refused." },
	svc_allow_private_addresses: {
		type: "boolean",
		default: true,
		description: "True to allow loopback, private and link-local addresses.",
	},
} as const satisfies ParameterDefinitions;
