import { defineConfig } from "svc-automation";
import { memoryBus } from "svc-automation/plugins/event-bus-memory";
import { aliases } from "svc-automation/plugins/feature-aliases";
import { audit } from "svc-automation/plugins/feature-audit";
import { packInstaller } from "svc-automation/plugins/feature-pack-installer";
import { webUi } from "svc-automation/plugins/feature-web-ui";
import { workers } from "svc-automation/plugins/feature-workers";
import { knexStorage } from "svc-automation/plugins/storage-knex";
import { flatFile } from "svc-automation/plugins-auth/flat-file";
import { ldap } from "svc-automation/plugins-auth/ldap";
import { localCommand } from "svc-automation/plugins-runner/local-command";

const { env } = process;
const groups = "ou=groups,dc=example,dc=org";

// Users sign in with the name and password of the LDAP directory. Members of "staff" may view everything.
// Members of "ops" may do everything.
export default defineConfig({
	features: [webUi(), audit(), aliases(), workers(), packInstaller()],
	storage: knexStorage({ client: "sqlite" }),
	event_bus: memoryBus(),
	runners: [localCommand()],
	auth: { backend: "ldap" },
	// SVC_AUTH_BACKEND=flat_file switches back to the password file.
	auth_backends: {
		flat_file: () => flatFile(),
		ldap: () =>
			ldap({
				host: env["LDAP_HOST"] ?? "ldap1.example.org,ldap2.example.org",
				port: Number(env["LDAP_PORT"] ?? 389),
				use_tls: true,
				cacert: env["LDAP_CACERT"] ?? "/etc/ssl/certs/ca-certificates.crt",
				bind_dn: "cn=service,dc=example,dc=org",
				bind_password: env["LDAP_BIND_PASSWORD"] ?? "",
				base_ou: "ou=people,dc=example,dc=org",
				base_ou_group: groups,
				group_dns: [`cn=staff,${groups}`, `cn=ops,${groups}`],
				group_dns_check: "or",
			}),
	},
	rbac: {
		enable: true,
		// Assigned by name, so that it applies with both backends.
		assignments: [{ username: "olga", roles: ["admin"] }],
		mappings: [
			{ group: `cn=staff,${groups}`, roles: ["observer"] },
			{ group: `cn=ops,${groups}`, roles: ["admin"] },
		],
	},
});
