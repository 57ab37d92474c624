import type { ParameterDefinitions } from "../../core/contract/index.ts";

const hostList = { type: "array", items: { type: "string" }, default: [] } as const;

/** Parameters of the runner; the action declares the others (`method`, `body` and so on) itself. */
export const httpParameters = {
	url: { type: "string", required: true, description: "Address to send the request to; http or https." },
	headers: { type: "object", description: "Headers of the request." },
	cookies: { type: "object", description: "Cookies of the request, by name." },
	username: { type: "string", description: "User for basic authentication." },
	password: { type: "string", secret: true, description: "Password for basic authentication." },
	allow_redirects: { type: "boolean", default: false, description: "Whether redirects are followed." },
	http_proxy: { type: "string", description: "Address of the proxy for http addresses." },
	https_proxy: { type: "string", description: "Address of the proxy for https addresses." },
	verify_ssl_cert: { type: "boolean", default: true, description: "Whether the certificate of the server must be valid." },
	url_hosts_blacklist: { ...hostList, description: "Hosts that must not be asked, redirects included." },
	url_hosts_whitelist: { ...hostList, description: "The only hosts that may be asked, redirects included." },
	svc_allow_private_addresses: {
		type: "boolean",
		default: true,
		description: "Whether loopback, private and link-local addresses may be asked.",
	},
} as const satisfies ParameterDefinitions;
