import { defineConfig } from "svc-automation";
import { memoryBus } from "svc-automation/plugins/event-bus-memory";
import { aliases } from "svc-automation/plugins/feature-aliases";
import { audit } from "svc-automation/plugins/feature-audit";
import { packInstaller } from "svc-automation/plugins/feature-pack-installer";
import { webUi } from "svc-automation/plugins/feature-web-ui";
import { workers } from "svc-automation/plugins/feature-workers";
import { packCompatibility } from "svc-automation/plugins/pack-compatibility";
import { knexStorage } from "svc-automation/plugins/storage-knex";
import { flatFile } from "svc-automation/plugins-auth/flat-file";
import { ldap } from "svc-automation/plugins-auth/ldap";
import { openidConnect } from "svc-automation/plugins-auth/openid-connect";
import { pam } from "svc-automation/plugins-auth/pam";
import { actionChain } from "svc-automation/plugins-runner/action-chain";
import { announcement } from "svc-automation/plugins-runner/announcement";
import { httpRequest } from "svc-automation/plugins-runner/http-request";
import { injectTrigger } from "svc-automation/plugins-runner/inject-trigger";
import { inquirer } from "svc-automation/plugins-runner/inquirer";
import { localCommand } from "svc-automation/plugins-runner/local-command";
import { localScript } from "svc-automation/plugins-runner/local-script";
import { noop } from "svc-automation/plugins-runner/noop";
import { pythonScript } from "svc-automation/plugins-runner/python-script";
import { remoteCommand } from "svc-automation/plugins-runner/remote-command";
import { remoteScript } from "svc-automation/plugins-runner/remote-script";
import { sendmail } from "svc-automation/plugins-runner/sendmail";
import { workflow } from "svc-automation/plugins-runner/workflow";

// What `npm start` runs: one node that keeps its database and password file in ./data (or SVC_DATA_DIR). Any option can be
// overridden by environment, such as SVC_API_PORT or SVC_AUTH_BACKEND; docs/reference/configuration.md lists them all.
export default defineConfig({
	features: [webUi(), audit(), aliases(), workers(), packInstaller()],
	storage: knexStorage({ client: "sqlite" }),
	event_bus: memoryBus(),
	runners: [
		localCommand(),
		localScript(),
		pythonScript(),
		remoteCommand(),
		remoteScript(),
		httpRequest(),
		announcement(),
		inquirer(),
		injectTrigger(),
		sendmail(),
		workflow(),
		actionChain(),
		noop(),
	],
	// What packs of others say; without this line only the service's own words are understood.
	dialects: [packCompatibility()],
	auth_backends: {
		flat_file: ({ file_path }: { file_path?: string }) => flatFile(file_path ? { file: file_path } : {}),
		ldap,
		openid_connect: openidConnect,
		pam,
	},
});
