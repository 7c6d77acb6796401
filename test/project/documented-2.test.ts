// Examples of a quarter of the documents print what they show.

import { describeDocuments } from '../kit/documents.js';

describeDocuments(2);
