import { client } from "../kit/service.ts";
import { JobDialog } from "./job-dialog.tsx";

interface InstallProps {
	/** Source that the form contains at first. */
	readonly source?: string;
	readonly onClose: () => void;
}

/** Shows a dialog for the source of a pack. Installs the pack. */
export function InstallDialog({ source = "", onClose }: InstallProps) {
	return (
		<JobDialog
			job="install"
			title="Install a pack"
			action="Install"
			proposed={{ source }}
			begin={({ source: given, ...flags }) => client.packInstalls.install({ packs: [String(given).trim()], ...flags })}
			onClose={onClose}
		>
			<p>What it brings runs on the machines of the service: install what you trust.</p>
		</JobDialog>
	);
}
