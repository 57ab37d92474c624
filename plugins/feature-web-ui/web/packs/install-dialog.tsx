import { client } from "../kit/service.ts";
import * as texts from "../texts/packs.ts";
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
			title={texts.installTitle}
			action={texts.install}
			proposed={{ source }}
			begin={({ source: given, ...flags }) => client.packInstalls.install({ packs: [String(given).trim()], ...flags })}
			onClose={onClose}
		>
			<p>{texts.installWarning}</p>
		</JobDialog>
	);
}
