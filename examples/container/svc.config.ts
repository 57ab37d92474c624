import { existsSync } from "node:fs";
import { defineConfig } from "svc-automation";
import { memoryBus } from "svc-automation/plugins/event-bus-memory";
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

// With DATABASE_URL, several containers form one service. Otherwise a single container uses SQLite in its volume.
const url = process.env["DATABASE_URL"];
// Shared by all containers: the users, and the key that encrypts secrets in the datastore.
const shared = process.env["SVC_SHARED_DIR"] ?? "/shared";
const password = `${shared}/htpasswd`;
const key = `${shared}/datastore-key.json`;

export default defineConfig({
	features: [webUi(), audit(), aliases(), workers(), packInstaller()],
	storage: url === undefined ? knexStorage({ client: "sqlite" }) : knexStorage({ client: "postgres", url }),
	event_bus: url === undefined ? memoryBus() : postgresBus({ url }),
	runners: [localCommand(), localScript(), pythonScript(), remoteCommand(), httpRequest(), inquirer(), workflow(), noop()],
	// One port for all components. A reverse proxy terminates TLS.
	api: { host: "0.0.0.0" },
	auth: { backend: flatFile(existsSync(password) ? { file: password } : {}), listen: false },
	stream: { listen: false },
	keyvalue: existsSync(key) ? { encryption_key_path: key } : {},
	log: { format: "json" },
});
