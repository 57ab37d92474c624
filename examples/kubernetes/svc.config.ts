import { defineConfig } from "svc-automation";
import { postgresBus } from "svc-automation/plugins/event-bus-postgres";
import { aliases } from "svc-automation/plugins/feature-aliases";
import { audit } from "svc-automation/plugins/feature-audit";
import { packInstaller } from "svc-automation/plugins/feature-pack-installer";
import { webUi } from "svc-automation/plugins/feature-web-ui";
import { workers } from "svc-automation/plugins/feature-workers";
import { knexStorage } from "svc-automation/plugins/storage-knex";
import { flatFile } from "svc-automation/plugins-auth/flat-file";
import { httpRequest } from "svc-automation/plugins-runner/http-request";
import { inquirer } from "svc-automation/plugins-runner/inquirer";
import { localCommand } from "svc-automation/plugins-runner/local-command";
import { localScript } from "svc-automation/plugins-runner/local-script";
import { noop } from "svc-automation/plugins-runner/noop";
import { pythonScript } from "svc-automation/plugins-runner/python-script";
import { remoteCommand } from "svc-automation/plugins-runner/remote-command";
import { workflow } from "svc-automation/plugins-runner/workflow";

const url = process.env["DATABASE_URL"] ?? "postgres://127.0.0.1/svc";

// Configuration of all nodes. The arguments of the container set the roles of each node.
export default defineConfig({
	features: [webUi(), audit(), aliases(), workers(), packInstaller()],
	storage: knexStorage({ client: "postgres", url }),
	event_bus: postgresBus({ url }),
	runners: [localCommand(), localScript(), pythonScript(), remoteCommand(), httpRequest(), inquirer(), workflow(), noop()],
	auth: { backend: flatFile({ file: "/secrets/htpasswd" }), listen: false },
	api: { host: "0.0.0.0" },
	stream: { listen: false },
});
