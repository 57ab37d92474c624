import { defineConfig } from "svc-automation";
import { postgresBus } from "svc-automation/plugins/event-bus-postgres";
import { aliases } from "svc-automation/plugins/feature-aliases";
import { audit } from "svc-automation/plugins/feature-audit";
import { packInstaller } from "svc-automation/plugins/feature-pack-installer";
import { webUi } from "svc-automation/plugins/feature-web-ui";
import { workers } from "svc-automation/plugins/feature-workers";
import { knexStorage } from "svc-automation/plugins/storage-knex";
import { flatFile } from "svc-automation/plugins-auth/flat-file";
import { localCommand } from "svc-automation/plugins-runner/local-command";
import { localScript } from "svc-automation/plugins-runner/local-script";

const url = process.env["DATABASE_URL"] ?? "postgres://127.0.0.1/svc";

// Configuration of all nodes. The command line sets the roles of each node. All nodes need the same data directory, or copies
// of its password file and datastore key.
export default defineConfig({
	features: [webUi(), audit(), aliases(), workers(), packInstaller()],
	storage: knexStorage({ client: "postgres", url }),
	event_bus: postgresBus({ url }),
	runners: [localCommand(), localScript()],
	data_dir: "../../data/cluster/svc",
	// The API listener also serves the other components, so each node needs only one port.
	auth: { backend: flatFile(), listen: false, trusted_proxies: ["127.0.0.1"] },
	stream: { listen: false },
});
